# Everything a testbed starts is in its own cgroup: pods below it (the kubelet's cgroupRoot), daemons
# in a leaf of it. So whatever survives a crash is still found, exactly and by the kernel.

cgroup_version() { if [ "$(stat -fc %T /sys/fs/cgroup 2>/dev/null)" = cgroup2fs ]; then echo 2; else echo 1; fi; }

cgroup_roots() {
  if [ "$(cgroup_version)" = 2 ]; then echo /sys/fs/cgroup; else awk '$3 == "cgroup" {print $2}' /proc/mounts | sort -u; fi
}

# The hierarchy that holds the daemons: with version 1 one that limits nothing.
daemon_cgroup() {
  local root=/sys/fs/cgroup
  if [ "$(cgroup_version)" = 1 ]; then
    root=$(cgroup_roots | grep -m1 -E '/systemd$' || cgroup_roots | grep -m1 -E '/pids$') || return 1
  fi
  echo "$root/$CGROUP/daemons"
}

create_cgroup() {
  local root file
  for root in $(cgroup_roots); do
    mkdir -p "$root/$CGROUP" || die "cannot create the cgroup $root/$CGROUP" \
      "/sys/fs/cgroup must be writable: run as root on the host, or in a privileged container"
    for file in cpuset.cpus cpuset.mems; do
      # A new cpuset of version 1 is empty, and nothing can run in it.
      if [ "$(cgroup_version)" = 1 ] && [ -e "$root/$CGROUP/$file" ] && [ -z "$(cat "$root/$CGROUP/$file")" ]; then
        cat "$root/$file" >"$root/$CGROUP/$file"
      fi
    done
    if [ "$(cgroup_version)" = 2 ]; then
      enable_controllers "$root"
      enable_controllers "$root/$CGROUP"
    fi
  done
  mkdir -p "$(daemon_cgroup)"
}

enable_controllers() {
  local controller
  for controller in $(cat "$1/cgroup.controllers"); do
    echo "+$controller" >"$1/cgroup.subtree_control" 2>/dev/null || case $controller in
      cpu | memory | pids) warn "cgroup controller '$controller' cannot be enabled in $1: the kubelet will miss it" ;;
    esac
  done
}

# Called in the child before it becomes the daemon.
enter_cgroup() {
  if [ "$MODE" = full ]; then echo "$BASHPID" >"$(daemon_cgroup)/cgroup.procs"; fi
}

# With version 1, runc also leaves a folder in the unified hierarchy.
cgroup_folders() {
  local root
  for root in $(awk '$3 ~ /^cgroup2?$/ {print $2}' /proc/mounts); do
    [ ! -d "$root/$CGROUP" ] || find "$root/$CGROUP" -depth -type d 2>/dev/null || true
  done
}

cgroup_pids() {
  local folder
  for folder in $(cgroup_folders); do
    [ ! -r "$folder/cgroup.procs" ] || cat "$folder/cgroup.procs" 2>/dev/null || true
  done | sort -un
}

# Kills whatever is in the testbed's cgroup until nothing is, then removes it.
remove_cgroup() {
  local attempt pids folder
  for attempt in $(seq 100); do
    pids=$(cgroup_pids)
    [ -n "$pids" ] || break
    # shellcheck disable=SC2086
    kill -s KILL $pids 2>/dev/null || true
    sleep 0.05
  done
  [ -z "$pids" ] || warn "processes that cannot be killed: $(echo $pids)"
  for attempt in $(seq 20); do
    for folder in $(cgroup_folders); do rmdir "$folder" 2>/dev/null || true; done
    [ -n "$(cgroup_folders)" ] || return 0
    sleep 0.05
  done
  warn "cgroups that cannot be removed: $(cgroup_folders | tail -n 1)"
}
