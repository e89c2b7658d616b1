#!/usr/bin/env bash
# The table of faults: the truth within 30 s, no hot loop, recovery when the cause goes away
ns=e2e-faults
fresh $ns
node $ns bn1 '.spec.image = {repository: "davit.local/no-such-image"}'
want_condition 45 $ns bn1 Ready 'False ImagePullFailed*no-such-image*'
kubectl patch bn -n $ns bn1 --type=merge -p '{"spec":{"image":null}}'
want_ready $ns bn1 120

node $ns pending '.spec.storage.live.storageClassName = "later"'
want_condition 30 $ns pending Ready 'False ClaimPending*pending-live*'
kubectl get sc davit-local -o json | jq '.metadata = {name: "later"}' | kubectl apply -f -
want_ready $ns pending 120
kubectl delete bn -n $ns pending --wait=false

publish $ns bn1 20
pod=$(server_pod $ns bn1)
fault $ns bn1 crash-on-start
kubectl delete pod -n $ns "$pod" --wait=false
want_condition 45 $ns bn1 Ready 'False CrashLoop*'
fault $ns bn1
want_ready $ns bn1 180

fault $ns bn1 hang-in-scan
kubectl delete pod -n $ns "$(server_pod $ns bn1)" --wait=false
want_condition 45 $ns bn1 Ready 'False Scanning*'
fault $ns bn1
want_ready $ns bn1 90

fault $ns bn1 unhealthy
want_condition 30 $ns bn1 Ready 'False *'
fault $ns bn1
want_ready $ns bn1 60

fault $ns bn1 stall-ingest
"$standin" publish --to "$(pod_ip $ns bn1):40840" --rate 10 --size 400 >/tmp/e2e-publish 2>&1 &
publisher=$!
want_condition 60 $ns bn1 Ingesting 'False StandsStill*'
condition_is $ns bn1 Ready 'True *' || saw "Ready meanwhile: $(condition $ns bn1 Ready)"
fault $ns bn1
want_condition 60 $ns bn1 Ingesting 'True *'
kill $publisher; wait $publisher || true

live=$(volume_path $ns bn1 live)
dd if=/dev/zero of="$live/filler" bs=1M count=200 2>/dev/null || true
want_condition 30 $ns bn1 StorageHealthy 'False *live*'
rm "$live/filler"
want_condition 30 $ns bn1 StorageHealthy 'True *'
want_ready $ns bn1 60

last=$(verify_chain $ns bn1)
saw "after all of it the chain is whole to block $last"
from=$(now); sleep 20; to=$(now)
writes=$(davit_writes "$from" "$to" | wc -l)
[ "$writes" -le 3 ] || miss "$writes writes in 20 s after recovery"
saw "$writes writes by Davit in the 20 s after recovery"
