#!/usr/bin/env bash
# Davit killed, the API server restarted, a permission missing: it goes on, and says what is missing
ns=e2e-operator
fresh $ns
node $ns bn1
sleep 2
kubectl delete pod -n davit-system -l app.kubernetes.io/name=davit --grace-period=0 --force 2>/dev/null
want_ready $ns bn1 120
node $ns bn2
sleep 1
testbed/api-restart
want_ready $ns bn2 150
uid=$(pod_uid $ns bn2)

kubectl get clusterrole davit -o json | jq 'del(.metadata.managedFields, .metadata.resourceVersion, .metadata.uid)' >/tmp/e2e-role.json
trap 'kubectl replace -f /tmp/e2e-role.json >/dev/null' EXIT
jq '.rules |= map(.resources -= ["services"])' /tmp/e2e-role.json | kubectl replace -f -
node $ns bn3
want_condition 60 $ns bn3 Ready 'False PermissionMissing*services*'
want_ready $ns bn2 30
kubectl replace -f /tmp/e2e-role.json
want_ready $ns bn3 180
[ "$(pod_uid $ns bn2)" = "$uid" ] || miss 'a pod was replaced'
remove_namespace $ns
