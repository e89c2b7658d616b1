# What this machine can do; what is adapted is said.

CAP_SYS_RESOURCE=24
has_capability() { (((0x$(awk '/^CapEff/ {print $2}' /proc/self/status) >> $1) & 1)); }

need_programs() {
  local program missing=()
  for program; do command -v "$program" >/dev/null || missing+=("$program"); done
  [ ${#missing[@]} = 0 ] || die "not installed: ${missing[*]}" "run tools/bootstrap (tools/bootstrap --list shows what it installs)"
}

check_machine() {
  need_programs openssl curl flock setsid
  if [ "$MODE" = control-plane ]; then need_programs ss; return; fi
  [ "$(id -u)" = 0 ] || die "a node needs root" "without root: testbed/up --control-plane-only"
  need_programs containerd ctr runc ip ss iptables nsenter socat xxd jq losetup conntrack cc busybox
  [ -x "$CNI_PROGRAMS/bridge" ] || die "no CNI programs in $CNI_PROGRAMS" "run tools/bootstrap"
  [ -e /proc/sys/net/bridge ] || modprobe br_netfilter 2>/dev/null ||
    warn "no br_netfilter in this kernel: a pod may fail to reach its own Service"
}

# After the network is there: the rules kube-proxy will want.
check_iptables() {
  inside iptables -w 5 -t nat -A OUTPUT -m comment --comment probe -m statistic --mode random --probability 0.5 -j RETURN &&
    inside iptables -w 5 -t nat -F OUTPUT ||
    die "this kernel or iptables lacks what kube-proxy needs (nat, comment, statistic; see above)" \
      "try the other flavour: update-alternatives --config iptables"
}

snapshotter() {
  local folder=$FOLDER/containerd/probe
  mkdir -p "$folder"/{lower,upper,work,merged}
  if mount -t overlay overlay -o "lowerdir=$folder/lower,upperdir=$folder/upper,workdir=$folder/work" "$folder/merged" 2>/dev/null; then
    umount "$folder/merged"
    echo overlayfs
  else
    echo native
  fi
  rm -rf "$folder"
}

say_adapted() {
  say "machine: cgroup v$(cgroup_version)"
  has_capability $CAP_SYS_RESOURCE || say "adapted: no CAP_SYS_RESOURCE, so OOM scores of pods are left alone"
  [ "$(snapshotter)" = overlayfs ] || say "adapted: no overlayfs here, so images are copied (slower)"
}

# The kubelet sets these for the whole machine: kept when the first testbed starts, put back after the last.
KUBELET_SYSCTLS=(vm.overcommit_memory vm.panic_on_oom kernel.panic kernel.panic_on_oops kernel.keys.root_maxkeys kernel.keys.root_maxbytes)
SAVED_SYSCTLS=/run/davit-testbed.sysctl
save_sysctls() { [ -e $SAVED_SYSCTLS ] || sysctl -e "${KUBELET_SYSCTLS[@]}" >$SAVED_SYSCTLS; }
restore_sysctls() {
  [ -e $SAVED_SYSCTLS ] || return 0
  compgen -G '/run/netns/davit-*' >/dev/null && return 0
  sysctl -q -e -p $SAVED_SYSCTLS >/dev/null || warn "some of these could not be set back: $(tr '\n' ';' <$SAVED_SYSCTLS)"
  rm -f $SAVED_SYSCTLS
}
