#!/usr/bin/env bash
# Data survival: pod, StatefulSet, status, Davit, BlockNode, CRD, namespace deleted in turn; the chain is whole after each
ns=e2e-survival
fresh $ns
node $ns bn1
want_ready $ns bn1
publish $ns bn1 30
check() { # WHAT
  want_ready $ns bn1 180
  local last
  last=$(verify_chain $ns bn1)
  [ -n "$last" ] && [ "$last" -ge 29 ] || miss "after deleting the $1 the chain ends at '$last'"
  saw "$1 deleted: chain verified to block $last"
}
gone_and_back() { # UID: the pod is another one
  until_true 90 'a new pod' bash -c "[ -n \"\$(kubectl get pod -n $ns -l davit.hiero.org/blocknode=bn1 -o jsonpath='{.items[0].metadata.uid}')\" ] && [ \"\$(kubectl get pod -n $ns -l davit.hiero.org/blocknode=bn1 -o jsonpath='{.items[0].metadata.uid}')\" != $1 ]"
}
uid=$(pod_uid $ns bn1)
kubectl delete pod -n $ns "$(server_pod $ns bn1)"
gone_and_back "$uid"; check pod
uid=$(pod_uid $ns bn1)
kubectl delete statefulset -n $ns bn1
gone_and_back "$uid"; check StatefulSet
kubectl patch bn -n $ns bn1 --subresource=status --type=merge -p '{"status":null}' || kubectl get bn -n $ns bn1 -o json | jq 'del(.status)' | kubectl replace --subresource=status -f -
until_true 30 'status is back' condition_is $ns bn1 Ready 'True *'
check status
kubectl delete pod -n davit-system -l app.kubernetes.io/name=davit --grace-period=0 --force 2>/dev/null
kubectl rollout status -n davit-system deployment/davit --timeout=120s
check 'Davit pod'
# What is kept is told by the Davit that sees the deletion: one must lead.
davit=$(kubectl get pod -n davit-system -l app.kubernetes.io/name=davit --field-selector=status.phase=Running -o jsonpath='{.items[0].metadata.name}')
until_true 60 'the new Davit leads' bash -c "kubectl get lease -n davit-system -o json | jq -e '.items[] | select(.spec.holderIdentity // \"\" | startswith(\"$davit\"))'"
node_manifest $ns bn1 >/tmp/e2e-bn1.json
kubectl delete bn -n $ns bn1
until_true 90 'the pod is gone' bash -c "[ -z \"\$(kubectl get pod -n $ns -o name)\" ]"
kubectl get pvc -n $ns -o name | grep -c bn1- | grep -q 5 || miss 'claims are gone'
until_true 30 'an event says what is kept' bash -c "kubectl get events.events.k8s.io -n $ns -o json | jq -e '.items[] | select(.reason == \"ClaimsKept\")'"
kubectl apply -f /tmp/e2e-bn1.json
check BlockNode
kubectl get crd blocknodes.davit.hiero.org -o json | jq 'del(.metadata.managedFields, .metadata.resourceVersion, .metadata.uid, .status)' >/tmp/e2e-crd.json
kubectl delete crd blocknodes.davit.hiero.org
until_true 90 'the pod is gone' bash -c "[ -z \"\$(kubectl get pod -n $ns -o name)\" ]"
tools/install --local >/dev/null
kubectl apply -f /tmp/e2e-bn1.json
check CRD
data='^bn1-(live|historic|application-state)$'
before=$(kubectl get pvc -n $ns -o json | jq -c --arg data "$data" '[.items[] | select(.metadata.name | test($data)) | {name: .metadata.name, volume: .spec.volumeName}]')
kubectl delete namespace $ns --timeout=180s
for volume in $(jq -r '.[].volume' <<<"$before"); do
  policy=$(kubectl get pv "$volume" -o jsonpath='{.spec.persistentVolumeReclaimPolicy}')
  [ "$policy" = Retain ] || miss "volume $volume is not kept: $policy"
done
saw 'namespace deleted: the three data volumes are kept'
kubectl create namespace $ns
kubectl apply -f /tmp/e2e-bn1.json
check namespace
