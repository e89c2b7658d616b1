# A full testbed has its own network namespace: ports, iptables rules, bridge and addresses of several
# testbeds (and of the machine) cannot meet. One link joins it to the host, which gets routes to its
# pods and Services. It has no default route: an image or a name from outside fails at once.
#
#   10.X.0.0/17     Services (10.X.0.1 the API server, 10.X.0.10 names)
#   10.X.128.0/18   pods, behind the bridge 10.X.128.1
#   10.X.255.0/30   the link: .1 the host, .2 the node

# Chooses X; call with the machine-wide lock held until the routes are there.
choose_addresses() {
  local x used
  used=$({ ip -4 route show table all; cat "$DAVIT_STATE"/testbed/*/config 2>/dev/null; } | grep -oE '\b10\.[0-9]+\.' | cut -d. -f2 | sort -un || true)
  for x in $(seq 160 223); do
    grep -qx "$x" <<<"$used" || break
    [ "$x" != 223 ] || die "no free network 10.X.0.0/16 with X in 160..223" "look at: ip route; testbed/status --all"
  done
  HOST_IP=10.$x.255.1 NODE_IP=10.$x.255.2
  POD_CIDR=10.$x.128.0/18 POD_GATEWAY=10.$x.128.1
  SERVICE_CIDR=10.$x.0.0/17 SERVICE_IP=10.$x.0.1 DNS_IP=10.$x.0.10
  API_PORT=6443 ETCD_PORT=2379 ETCD_PEER_PORT=2380 CONTROLLER_PORT=10257 SCHEDULER_PORT=10259
}

# A control plane alone: loopback, and ports nobody listens on.
choose_ports() {
  local name taken port
  taken=$(ss -Hltn | awk '{sub(/.*:/, "", $4); print $4}')
  for name in API_PORT ETCD_PORT ETCD_PEER_PORT CONTROLLER_PORT SCHEDULER_PORT; do
    port=$((20000 + RANDOM % 10000))
    while grep -qx $port <<<"$taken"; do port=$((20000 + RANDOM % 10000)); done
    taken+=$'\n'$port
    printf -v "$name" %s $port
  done
  HOST_IP=127.0.0.1 NODE_IP=127.0.0.1 SERVICE_CIDR=10.160.0.0/17 SERVICE_IP=10.160.0.1 DNS_IP=10.160.0.10
}

network_is_up() {
  [ -e "/run/netns/$NETNS" ] && ip link show "$LINK" &>/dev/null && ip route show "$POD_CIDR" | grep -q "$LINK"
}

create_network() {
  network_is_up && return
  remove_network
  ip netns add "$NETNS" || die "cannot create the network namespace $NETNS" "needs root with CAP_SYS_ADMIN and CAP_NET_ADMIN"
  ip link add "$LINK" type veth peer name node0 netns "$NETNS"
  ip addr add "$HOST_IP/30" dev "$LINK"
  ip link set "$LINK" up
  inside ip link set lo up
  inside ip addr add "$NODE_IP/30" dev node0
  inside ip link set node0 up
  inside sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
  ip route add "$POD_CIDR" via "$NODE_IP"
  ip route add "$SERVICE_CIDR" via "$NODE_IP"
}

inside() { nsenter --net="/run/netns/$NETNS" -- "$@"; }

remove_network() {
  ip link delete "$LINK" 2>/dev/null || true
  [ ! -e "/run/netns/$NETNS" ] || ip netns delete "$NETNS" 2>/dev/null || rm -f "/run/netns/$NETNS"
}
