# Keys, certificates and kubeconfigs in FOLDER/pki; made once.

new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null; }

new_authority() {
  new_key "$1.key"
  openssl req -x509 -new -key "$1.key" -days 3650 -subj "/CN=$2" -out "$1.crt" \
    -addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature
}

# certify NAME SUBJECT [SUBJECT_ALT_NAMES]: signed by ca (or by $AUTHORITY).
certify() {
  local name=$1 subject=$2 names=${3:-} authority=${AUTHORITY:-ca}
  new_key "$name.key"
  {
    echo "keyUsage=critical,digitalSignature"
    echo "extendedKeyUsage=serverAuth,clientAuth"
    [ -z "$names" ] || echo "subjectAltName=$names"
  } >"$name.ext"
  openssl req -new -key "$name.key" -subj "$subject" |
    openssl x509 -req -CA "$authority.crt" -CAkey "$authority.key" -set_serial "0x$(openssl rand -hex 16)" \
      -days 3650 -extfile "$name.ext" -out "$name.crt" 2>/dev/null
  rm "$name.ext"
}

# write_kubeconfig FILE CERTIFICATE: self-contained, so that it can be copied.
write_kubeconfig() {
  cat >"$1" <<END
apiVersion: v1
kind: Config
current-context: $NODE
contexts: [{name: $NODE, context: {cluster: $NODE, user: $2}}]
clusters: [{name: $NODE, cluster: {server: "https://$NODE_IP:$API_PORT", certificate-authority-data: $(base64 -w0 <ca.crt)}}]
users: [{name: $2, user: {client-certificate-data: $(base64 -w0 <"$2.crt"), client-key-data: $(base64 -w0 <"$2.key")}}]
END
}

make_pki() {
  [ ! -e "$FOLDER/pki/done" ] || return 0
  rm -rf "$FOLDER/pki"
  mkdir -p "$FOLDER/pki"
  (
    umask 077
    cd "$FOLDER/pki"
    new_authority ca davit-testbed
    new_authority front-proxy-ca davit-testbed-front-proxy
    new_key service-account.key
    openssl pkey -in service-account.key -pubout -out service-account.pub
    certify apiserver /CN=kube-apiserver "IP:127.0.0.1,IP:$NODE_IP,IP:$SERVICE_IP,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local"
    certify etcd /CN=etcd "IP:127.0.0.1,DNS:localhost"
    certify kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client
    certify admin /O=system:masters/CN=admin
    certify controller-manager /CN=system:kube-controller-manager "IP:127.0.0.1,IP:$NODE_IP,DNS:localhost"
    certify scheduler /CN=system:kube-scheduler "IP:127.0.0.1,IP:$NODE_IP,DNS:localhost"
    AUTHORITY=front-proxy-ca certify front-proxy-client /CN=front-proxy-client
    for user in admin controller-manager scheduler; do write_kubeconfig "$user.kubeconfig" $user; done
    if [ "$MODE" = full ]; then
      certify node "/O=system:nodes/CN=system:node:$NODE" "IP:$NODE_IP,DNS:$NODE"
      certify proxy /CN=system:kube-proxy
      certify coredns /CN=davit:coredns
      for user in node proxy coredns; do write_kubeconfig "$user.kubeconfig" $user; done
    fi
    cp admin.kubeconfig "$ADMIN"
    touch done
  ) || die "making keys and certificates failed (see above)" "openssl must work: openssl version"
}
