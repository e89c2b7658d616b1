# Taking a testbed away: exactly what is its own, also after a crash, also twice.

mounts_below() { awk -v prefix="$1/" 'index($5, prefix) == 1 {print $5}' /proc/self/mountinfo | tac; }

unmount_below() {
  local attempt target
  for attempt in 1 2 3; do
    while read -r target; do
      umount "$target" 2>/dev/null || { [ $attempt -lt 3 ] || umount --lazy "$target" 2>/dev/null || true; }
    done < <(mounts_below "$1")
    [ -n "$(mounts_below "$1")" ] || return 0
    sleep 0.2
  done
  warn "still mounted: $(mounts_below "$1" | tr '\n' ' ')"
}

detach_loops_below() {
  local device file
  while read -r device file; do
    case $file in "$1"/*) losetup --detach "$device" || warn "loop device $device stays on $file" ;; esac
  done < <(losetup --list --noheadings --output NAME,BACK-FILE 2>/dev/null)
}

# Shims and what they hold: in the cgroup; those of a machine that moved them are known by our socket.
kill_shims() {
  local cmdline pid
  for cmdline in /proc/[0-9]*/cmdline; do
    if { tr '\0' '\n' <"$cmdline"; } 2>/dev/null | grep -qxF -- "$CONTAINERD_SOCKET"; then
      pid=${cmdline#/proc/}
      kill -s KILL "${pid%/cmdline}" 2>/dev/null || true
    fi
  done
}

# A killed shim leaves its socket; containerd forgets about it when it starts again.
remove_dead_sockets() {
  local file socket
  for file in "$FOLDER"/containerd/state/io.containerd.runtime.v2.task/k8s.io/*/address; do
    [ -r "$file" ] || continue
    socket=$(sed 's,^unix://,,' "$file")
    [ -n "$(ss -Hxl src "$socket")" ] || rm -f -- "$socket"
  done
}

# containerd, CNI and the kubelet keep a few things in places that no setting moves.
remove_strays() {
  local file
  remove_dead_sockets
  for file in /var/lib/cni/results/"$CNI_NETWORK"-*; do
    file=${file##*/"$CNI_NETWORK"-}
    rm -f -- /var/lib/cni/results/{"$CNI_NETWORK-$file","cni-loopback-${file%-eth0}-lo"}
  done
  for file in /var/log/containers/*; do
    case $(readlink "$file" || true) in "$FOLDER"/*) rm -f -- "$file" ;; esac
  done
  if ! ss -Hxl | grep -q /var/lib/kubelet/device-plugins/; then
    rm -f /var/lib/kubelet/device-plugins/{kubelet.sock,DEPRECATION,kubelet_internal_checkpoint}
  fi
  rmdir --ignore-fail-on-non-empty -- /var/lib/kubelet/{device-plugins,} /run/containerd/{s,} /var/lib/cni/{results,} \
    /var/log/containers 2>/dev/null || true
}

remove_testbed() {
  local name
  for name in provisioner kubelet; do stop_process $name TERM 3; done
  for name in "$FOLDER"/run/*.pid; do
    [ ! -e "$name" ] || stop_process "$(basename "$name" .pid)" KILL 3
  done
  if [ "$(id -u)" = 0 ]; then
    remove_cgroup
    kill_shims
    unmount_below "$FOLDER"
    detach_loops_below "$FOLDER"
    remove_strays
    remove_network
    restore_sysctls
  fi
  rm -rf --one-file-system -- "$FOLDER"
}
