#!/usr/bin/env bash
# A BlockNode becomes Ready, takes blocks, and shows what a user looks at
ns=e2e-ready
fresh $ns
node $ns bn1
want_ready $ns bn1
publish $ns bn1 40
last=$(verify_chain $ns bn1)
[ "$last" -ge 39 ] || miss "the chain ends at $last, not at 39 or later"
saw "chain verified to block $last"
want_condition 60 $ns bn1 Ingesting 'True *'
until_true 30 'status.lastBlock' bash -c "[ \$(kubectl get bn -n $ns bn1 -o jsonpath='{.status.lastBlock}') -ge 1 ]"
columns=$(kubectl get bn -n $ns | sed -n 1p)
[[ $columns =~ NAME\ +READY\ +REASON\ +VERSION\ +HEIGHT\ +AS-OF ]] || miss "columns of kubectl get bn: $columns"
saw "$(kubectl get bn -n $ns --no-headers)"
saw "$(kubectl get bn -n $ns -o wide --no-headers)"
restarts=$(kubectl get pod -n $ns -l davit.hiero.org/blocknode=bn1 -o jsonpath='{.items[0].status.containerStatuses[*].restartCount}')
[ "$restarts" = '0 0' ] || miss "restarts: $restarts"
screen=$(build/release/bin/kubectl-davit status -n $ns bn1)
[[ $screen == *'Ready      True'* ]] || miss "kubectl davit status: $screen"
rm -rf build/e2e/report
build/release/bin/kubectl-davit report -n $ns bn1 -o build/e2e/report
for file in status.txt objects/BlockNode-bn1.json logs/bn1-0-server.log metrics/bn1-0.txt agent/bn1-0.json; do
  [ -s "build/e2e/report/$file" ] || miss "the report lacks $file: $(cat build/e2e/report/problems.txt)"
done
