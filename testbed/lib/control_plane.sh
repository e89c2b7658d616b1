# etcd, kube-apiserver, kube-controller-manager, kube-scheduler. Each start_X starts one process;
# each X_is_ready says whether it serves.

CONTROL_PLANE=(etcd apiserver controller-manager scheduler)

start_etcd() {
  # No fsync: a testbed survives a killed etcd, and need not survive a power cut.
  start_process etcd $(in_network) "$BIN/etcd" --name testbed --data-dir "$FOLDER/etcd" --unsafe-no-fsync \
    --listen-client-urls "https://127.0.0.1:$ETCD_PORT" --advertise-client-urls "https://127.0.0.1:$ETCD_PORT" \
    --listen-peer-urls "https://127.0.0.1:$ETCD_PEER_PORT" \
    --initial-advertise-peer-urls "https://127.0.0.1:$ETCD_PEER_PORT" \
    --initial-cluster "testbed=https://127.0.0.1:$ETCD_PEER_PORT" \
    --client-cert-auth --trusted-ca-file pki/ca.crt --cert-file pki/etcd.crt --key-file pki/etcd.key \
    --peer-client-cert-auth --peer-trusted-ca-file pki/ca.crt --peer-cert-file pki/etcd.crt --peer-key-file pki/etcd.key \
    --auto-compaction-mode periodic --auto-compaction-retention 10m --quota-backend-bytes 4294967296 --log-level warn
}

start_apiserver() {
  local flags=(--bind-address 127.0.0.1 --endpoint-reconciler-type none)
  if [ "$MODE" = full ]; then
    flags=(--bind-address 0.0.0.0 --advertise-address "$NODE_IP" --kubelet-certificate-authority pki/ca.crt
      --kubelet-client-certificate pki/kubelet-client.crt --kubelet-client-key pki/kubelet-client.key
      --kubelet-preferred-address-types InternalIP)
  fi
  cat >"$FOLDER/etc/audit.yaml" <<'END'
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
END
  start_process apiserver $(in_network) "$BIN/kube-apiserver" "${flags[@]}" --secure-port "$API_PORT" \
    --etcd-servers "https://127.0.0.1:$ETCD_PORT" --etcd-cafile pki/ca.crt --etcd-certfile pki/etcd.crt --etcd-keyfile pki/etcd.key \
    --client-ca-file pki/ca.crt --tls-cert-file pki/apiserver.crt --tls-private-key-file pki/apiserver.key \
    --service-account-issuer https://kubernetes.default.svc.cluster.local \
    --service-account-key-file pki/service-account.pub --service-account-signing-key-file pki/service-account.key \
    --requestheader-client-ca-file pki/front-proxy-ca.crt --requestheader-allowed-names front-proxy-client \
    --requestheader-username-headers X-Remote-User --requestheader-group-headers X-Remote-Group \
    --requestheader-extra-headers-prefix X-Remote-Extra- \
    --proxy-client-cert-file pki/front-proxy-client.crt --proxy-client-key-file pki/front-proxy-client.key \
    --service-cluster-ip-range "$SERVICE_CIDR" --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
    --allow-privileged --audit-policy-file etc/audit.yaml --audit-log-path log/audit.log \
    --audit-log-maxsize 1000 --audit-log-maxbackup 1 --shutdown-delay-duration 0s
}

start_controller-manager() {
  start_process controller-manager $(in_network) "$BIN/kube-controller-manager" --kubeconfig pki/controller-manager.kubeconfig \
    --bind-address 127.0.0.1 --secure-port "$CONTROLLER_PORT" --leader-elect=false --use-service-account-credentials \
    --tls-cert-file pki/controller-manager.crt --tls-private-key-file pki/controller-manager.key \
    --root-ca-file pki/ca.crt --service-account-private-key-file pki/service-account.key \
    --cluster-signing-cert-file pki/ca.crt --cluster-signing-key-file pki/ca.key
}

start_scheduler() {
  start_process scheduler $(in_network) "$BIN/kube-scheduler" --kubeconfig pki/scheduler.kubeconfig --leader-elect=false \
    --bind-address 127.0.0.1 --secure-port "$SCHEDULER_PORT" \
    --tls-cert-file pki/scheduler.crt --tls-private-key-file pki/scheduler.key
}

# Fake nodes for scale runs (testbed/fake-nodes); run/kwok names the program.
start_kwok() {
  start_process kwok $(in_network) "$(cat "$FOLDER/run/kwok")" --kubeconfig "$ADMIN" --cidr 10.224.0.1/12 \
    --manage-nodes-with-annotation-selector kwok.x-k8s.io/node=fake --node-lease-duration-seconds 40
}
kwok_is_ready() { alive kwok; }

# fetch URL [USER]: as that user's certificate.
fetch() {
  $(in_network) curl -sf --noproxy '*' --max-time 2 --cacert "$FOLDER/pki/ca.crt" \
    --cert "$FOLDER/pki/${2:-admin}.crt" --key "$FOLDER/pki/${2:-admin}.key" "$1"
}
etcd_is_ready() { fetch "https://127.0.0.1:$ETCD_PORT/health" etcd | grep -q true; }
apiserver_is_ready() { [ "$(fetch "https://$NODE_IP:$API_PORT/readyz")" = ok ]; }
controller-manager_is_ready() { [ "$(fetch "https://127.0.0.1:$CONTROLLER_PORT/healthz")" = ok ]; }
scheduler_is_ready() { [ "$(fetch "https://127.0.0.1:$SCHEDULER_PORT/healthz")" = ok ]; }

kubectl() { KUBECONFIG=$ADMIN NO_PROXY='*' no_proxy='*' "$BIN/kubectl" "$@"; }
