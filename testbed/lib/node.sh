# containerd, kubelet, kube-proxy and coredns: what makes the machine a node.

NODE_COMPONENTS=(containerd kubelet proxy coredns)
CNI_PROGRAMS=/usr/lib/cni

start_containerd() {
  local folder=$FOLDER/containerd restrict=false
  # Without this capability a sandbox that asks for a lower OOM score dies in runc.
  has_capability "$CAP_SYS_RESOURCE" || restrict=true
  mkdir -p "$folder" "$FOLDER/etc/cni"
  cat >"$FOLDER/etc/cni/10-testbed.conflist" <<END
{ "cniVersion": "0.4.0", "name": "$CNI_NETWORK", "plugins": [
  { "type": "bridge", "bridge": "pods0", "isDefaultGateway": true, "hairpinMode": true,
    "ipam": { "type": "host-local", "dataDir": "$FOLDER/cni",
              "ranges": [[{ "subnet": "$POD_CIDR", "gateway": "$POD_GATEWAY" }]] } },
  { "type": "portmap", "capabilities": { "portMappings": true } } ] }
END
  cat >"$FOLDER/etc/containerd.toml" <<END
version = 2
root = "$folder/root"
state = "$folder/state"
disabled_plugins = ["io.containerd.internal.v1.opt"]
[grpc]
  address = "$CONTAINERD_SOCKET"
[debug]
  address = "$FOLDER/run/containerd-debug.sock"
  level = "warn"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "davit.local/pause:1"
  restrict_oom_score_adj = $restrict
  netns_mounts_under_state_dir = true
  tolerate_missing_hugetlb_controller = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "$(snapshotter)"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        Root = "$folder/runc"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$CNI_PROGRAMS"
    conf_dir = "$FOLDER/etc/cni"
END
  remove_dead_sockets
  start_process containerd $(in_network) containerd --config "$FOLDER/etc/containerd.toml"
}

# The kubelet cannot find the device of an overlay root (a container as the machine) and would not start.
local_storage_isolation() { if [ "$(stat -f -c %T "$FOLDER")" = overlayfs ]; then echo false; else echo true; fi; }

start_kubelet() {
  cat >"$FOLDER/etc/resolv.conf" <<<"nameserver $DNS_IP"
  # Limits in bytes: the share of a big common disk that is in use says nothing about what is left.
  cat >"$FOLDER/etc/kubelet.yaml" <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $NODE_IP
authentication: {x509: {clientCAFile: $FOLDER/pki/ca.crt}, webhook: {enabled: true}, anonymous: {enabled: false}}
authorization: {mode: Webhook}
tlsCertFile: $FOLDER/pki/node.crt
tlsPrivateKeyFile: $FOLDER/pki/node.key
containerRuntimeEndpoint: unix://$CONTAINERD_SOCKET
cgroupDriver: cgroupfs
cgroupRoot: /$CGROUP
failCgroupV1: false
failSwapOn: false
localStorageCapacityIsolation: $(local_storage_isolation)
clusterDomain: cluster.local
clusterDNS: [$DNS_IP]
resolvConf: $FOLDER/etc/resolv.conf
podLogsDir: $FOLDER/log/pods
volumePluginDir: $FOLDER/kubelet/volume-plugins
maxPods: 250
oomScoreAdj: 0
serializeImagePulls: false
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: 1Gi, nodefs.inodesFree: 10k, imagefs.available: 1Gi, imagefs.inodesFree: 10k}
nodeStatusUpdateFrequency: 5s
syncFrequency: 20s
registerNode: true
END
  start_process kubelet $(in_network) "$BIN/kubelet" --config "$FOLDER/etc/kubelet.yaml" --root-dir "$FOLDER/kubelet" \
    --kubeconfig "$FOLDER/pki/node.kubeconfig" --hostname-override "$NODE" --node-ip "$NODE_IP" --cert-dir "$FOLDER/pki"
}

start_proxy() {
  cat >"$FOLDER/etc/proxy.yaml" <<END
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
hostnameOverride: $NODE
clusterCIDR: $POD_CIDR
clientConnection: {kubeconfig: $FOLDER/pki/proxy.kubeconfig}
healthzBindAddress: $NODE_IP:10256
metricsBindAddress: 127.0.0.1:10249
iptables: {minSyncPeriod: 100ms}
# The kernel's connection table belongs to the machine, not to one testbed.
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
END
  start_process proxy $(in_network) "$BIN/kube-proxy" --config "$FOLDER/etc/proxy.yaml"
}

# Names of the cluster; every other name does not exist (or goes to DAVIT_TESTBED_DNS).
start_coredns() {
  local outside="template ANY ANY {
    rcode NXDOMAIN
  }"
  [ -z "${DAVIT_TESTBED_DNS:-}" ] || outside="forward . $DAVIT_TESTBED_DNS"
  cat >"$FOLDER/etc/Corefile" <<END
.:53 {
  bind $NODE_IP
  errors
  health $NODE_IP:8080
  ready $NODE_IP:8181
  cache 5
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    kubeconfig $FOLDER/pki/coredns.kubeconfig
    pods insecure
    ttl 5
    fallthrough in-addr.arpa ip6.arpa
  }
  $outside
}
END
  start_process coredns $(in_network) "$BIN/coredns" -conf "$FOLDER/etc/Corefile"
}

# A provisioner for sized claims, if one was built: it runs on the host as the admin. The program that
# was started once is remembered, so that later commands look for the same one.
provisioner_program() {
  local program
  program=${DAVIT_PROVISIONER:-$(cat "$FOLDER/run/provisioner" 2>/dev/null || true)}
  [ -n "$program" ] || program=$DAVIT_TREE/build/release/bin/testbed-provisioner
  if [ -x "$program" ]; then echo "$program"; fi
}
start_provisioner() {
  local program
  program=$(provisioner_program)
  echo "$program" >"$FOLDER/run/provisioner"
  start_process provisioner "$program" --kubeconfig "$ADMIN" --root "$FOLDER/volumes" --node "$NODE"
}

containerd_is_ready() { ctr --address "$CONTAINERD_SOCKET" version; }
kubelet_is_ready() { fetch "https://$NODE_IP:10250/healthz"; }
provisioner_is_ready() { alive provisioner; }
proxy_is_ready() { curl -sf --noproxy '*' --max-time 2 "http://$NODE_IP:10256/healthz"; }
coredns_is_ready() { curl -sf --noproxy '*' --max-time 2 "http://$NODE_IP:8181/ready"; }
node_is_ready() {
  [ "$(kubectl get node "$NODE" -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}')" = True ]
}

# Asks the DNS Service's address from the host: link, route, kube-proxy and CoreDNS in one question.
dns_answers() {
  local question='\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x0akubernetes\x07default\x03svc\x07cluster\x05local\x00\x00\x01\x00\x01'
  local a b c d
  IFS=. read -r a b c d <<<"$SERVICE_IP"
  printf "$question" | socat -t 1 - "UDP:$DNS_IP:53" | xxd -p -c 512 | grep -q "$(printf %02x%02x%02x%02x "$a" "$b" "$c" "$d")\$"
}
