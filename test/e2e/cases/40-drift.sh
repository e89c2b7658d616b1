#!/usr/bin/env bash
# Drift in owned fields is corrected, edits elsewhere are kept
ns=e2e-ready
kubectl patch svc -n $ns bn1 --type=merge -p '{"metadata":{"annotations":{"team":"core"}},"spec":{"selector":{"x":"y"}}}'
selector_is_ours() { [ "$(kubectl get svc -n $ns bn1 -o json | jq '.spec.selector | has("x")')" = false ]; }
until_true 30 'the selector is corrected' selector_is_ours
saw "selector corrected: $(kubectl get svc -n $ns bn1 -o json | jq -c .spec.selector)"
[ "$(kubectl get svc -n $ns bn1 -o jsonpath='{.metadata.annotations.team}')" = core ] || miss "the user's annotation is gone"
kubectl delete svc -n $ns bn1
until_true 30 'the Service is back' kubectl get svc -n $ns bn1
kubectl delete cm -n $ns bn1-config 2>/dev/null || kubectl delete cm -n $ns -l davit.hiero.org/blocknode=bn1
until_true 30 'the ConfigMap is back' bash -c "[ -n \"\$(kubectl get cm -n $ns -l davit.hiero.org/blocknode=bn1 -o name)\" ]"
want_ready $ns bn1 30
