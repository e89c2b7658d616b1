#!/usr/bin/env bash
# A BlockNode becomes Ready, takes blocks, and shows what a user looks at
ns=e2e-ready
node $ns bn1
want_ready $ns bn1
publish $ns bn1 40
last=$(verify_chain $ns bn1)
[ "$last" -ge 39 ] || miss "the chain ends at $last, not at 39 or later"
saw "chain verified to block $last"
want_condition 60 $ns bn1 Ingesting 'True *'
until_true 30 'status.lastBlock' bash -c "[ \$(kubectl get bn -n $ns bn1 -o jsonpath='{.status.lastBlock}') -ge 1 ]"
kubectl get bn -n $ns | head -n 1 | grep -qE 'NAME +READY +REASON +VERSION +HEIGHT +AS-OF' || miss 'columns of kubectl get bn'
saw "$(kubectl get bn -n $ns --no-headers)"
saw "$(kubectl get bn -n $ns -o wide --no-headers)"
restarts=$(kubectl get pod -n $ns -l davit.hiero.org/blocknode=bn1 -o jsonpath='{.items[0].status.containerStatuses[*].restartCount}')
[ "$restarts" = '0 0' ] || miss "restarts: $restarts"
build/release/bin/kubectl-davit status -n $ns bn1 | tee /dev/stderr | grep -q 'Ready      True' || miss 'kubectl davit status'
