#!/usr/bin/env bash
# Bad input: told in plain words, and a running node is not disturbed
ns=e2e-input
fresh $ns
node $ns bn1
want_ready $ns bn1
uid=$(pod_uid $ns bn1)

if node_manifest $ns typo '.spec.tierr = 1' | kubectl create --validate=strict -f - 2>/tmp/e2e-typo; then miss 'an unknown field was taken'; fi
grep -q 'tierr' /tmp/e2e-typo || miss "the refusal does not name the field: $(cat /tmp/e2e-typo)"
saw "$(cat /tmp/e2e-typo)"

kubectl patch bn -n $ns bn1 --type=merge -p '{"spec":{"extraConfig":{"SERVER_BACKLOG_SIZ":"100"}}}'
want_condition 30 $ns bn1 ConfigurationApplied 'False *SERVER_BACKLOG_SIZE*'
kubectl patch bn -n $ns bn1 --type=merge -p '{"spec":{"extraConfig":{"SERVER_BACKLOG_SIZ":null,"HEALTH_BACKLOG_SIZE":"1"}}}'
want_condition 30 $ns bn1 ConfigurationApplied 'False *HEALTH_BACKLOG_SIZE*64*'
kubectl patch bn -n $ns bn1 --type=merge -p '{"spec":{"extraConfig":{"HEALTH_BACKLOG_SIZE":null,"JAVA_OPTS":"-Xmx8g"}}}'
want_condition 30 $ns bn1 ConfigurationApplied 'False *memory*'
kubectl patch bn -n $ns bn1 --type=merge -p '{"spec":{"extraConfig":{"JAVA_OPTS":null}}}'
want_condition 30 $ns bn1 ConfigurationApplied 'True *'

if kubectl patch bn -n $ns bn1 --type=merge -p '{"spec":{"storage":{"live":{"size":"32Mi"}}}}' 2>/tmp/e2e-shrink; then
  want_condition 30 $ns bn1 ConfigurationApplied 'False *live*'
  kubectl patch bn -n $ns bn1 --type=merge -p '{"spec":{"storage":{"live":{"size":"64Mi"}}}}'
else
  saw "$(tail -n 1 /tmp/e2e-shrink)"
fi
[ "$(pod_uid $ns bn1)" = "$uid" ] || miss 'the pod was replaced'
want_ready $ns bn1 30
saw 'the pod was never touched'

kubectl patch bn -n $ns bn1 --type=merge -p '{"spec":{"storage":{"live":{"size":"96Mi"}}}}'
until_true 60 'the claim grew' bash -c "[ \"\$(kubectl get pvc -n $ns bn1-live -o jsonpath='{.status.capacity.storage}' | sed 's/100663296/96Mi/')\" = 96Mi ]"
[ "$(pod_uid $ns bn1)" = "$uid" ] || miss 'growing a claim replaced the pod'
saw 'a claim grew from 64Mi to 96Mi under the running pod'
remove_namespace $ns
