#!/usr/bin/env bash
# Davit moves from the last frozen release to head under a Ready node: no restart; then it is uninstalled. Stays the last case
ns=e2e-upgrade
frozen=$(find release -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort -V | tail -n 1)
head=$(tools/version)
same_version=
if [ "$frozen" = "$head" ]; then same_version=yes head=$head-head; fi
work=$PWD/build/e2e/upgrade
rm -rf "$work"
mkdir -p "$work/frozen"

# What `tools/install --local` does, with head's image under another name while both have one version.
install_head() {
  if [ -z "$same_version" ]; then tools/install --local; return; fi
  kubectl kustomize deploy/local | sed "s,davit.local/davit:$frozen,davit.local/davit:$head," |
    kubectl apply --server-side --field-manager=davit-install --force-conflicts -f -
  kubectl rollout status -n davit-system deployment/davit --timeout=180s
}
installed() { # every object of deploy/ that is there, with its UID
  kubectl kustomize deploy | kubectl get -f - --ignore-not-found -o json |
    jq -r '.items[]? // . | "\(.kind)/\(.metadata.name) \(.metadata.uid)"' | sort
}
davit_image() { kubectl get pod -n davit-system -l app.kubernetes.io/name=davit -o json | jq -r '[.items[] | select(.metadata.deletionTimestamp | not)][0].spec.containers[0].image'; }
davit_works() { # the running Davit leads and has looked at a node
  local ip
  ip=$(kubectl get pod -n davit-system -l app.kubernetes.io/name=davit --field-selector=status.phase=Running -o json |
    jq -r '[.items[] | select(.metadata.deletionTimestamp | not)][0].status.podIP')
  curl -sf "http://$ip:8080/metrics" | grep -E '^davit_(leader|reconciles_total\{[^}]*\}) [1-9]' | awk '{sub(/[{ ].*/, "")} !seen[$0]++' | wc -l | grep -qx 2
}
workload() { kubectl get statefulset -n $ns bn1 -o json | jq -S '{generation: .metadata.generation, uid: .metadata.uid, template: .spec.template}'; }
ready_since() { kubectl get bn -n $ns bn1 -o json | jq -r '.status.conditions[] | select(.type == "Ready") | "\(.status) since \(.lastTransitionTime)"'; }
assert_untouched() { # WHEN: same pod, no container restarted, never not Ready
  [ "$(pod_uid $ns bn1)" = "$uid" ] || miss "$1 the pod is another one"
  local restarts
  restarts=$(kubectl get pod -n $ns -l davit.hiero.org/blocknode=bn1 -o json | jq -c '[.items[].status | .containerStatuses[], .initContainerStatuses[] | .restartCount] | unique')
  [ "$restarts" = '[0]' ] || miss "$1 restart counts are $restarts"
  [ "$(ready_since)" = "$ready" ] || miss "$1 Ready is $(ready_since), it was $ready"
}

# The frozen release alone.
! kubectl get crd blocknodes.davit.hiero.org >/dev/null 2>&1 || kubectl delete bn -A --all --timeout=120s
tools/uninstall
tools/frozen-image "$frozen" "$work/frozen.tar"
[ -z "$same_version" ] || testbed/load-image build/images/davit.tar "davit.local/davit:$head"
testbed/load-image "$work/frozen.tar"
cp "release/$frozen/davit.yaml" "$work/frozen/"
{ printf 'resources: [davit.yaml]\n'; sed -n '/^patches:/,$p' deploy/local/kustomization.yaml; } >"$work/frozen/kustomization.yaml"
kubectl apply --server-side --field-manager=davit-install --force-conflicts -k "$work/frozen"
kubectl wait --for=condition=Established --timeout=60s crd/blocknodes.davit.hiero.org
kubectl rollout status -n davit-system deployment/davit --timeout=180s

fresh $ns
node $ns bn1
want_ready $ns bn1 120
[ "$(davit_image)" = "davit.local/davit:$frozen" ] || miss "the node was made by $(davit_image)"
publish $ns bn1 30
before=$(verify_chain $ns bn1)
uid=$(pod_uid $ns bn1) ready=$(ready_since)
workload >"$work/before.json"

# To head, while blocks flow in.
"$standin" publish --to "$(pod_ip $ns bn1):40840" --rate 5 --size 400 >"$work/publish.log" 2>&1 &
publisher=$!
trap 'kill $publisher 2>/dev/null || true' EXIT
from=$(now)
install_head
[ "$(davit_image)" = "davit.local/davit:$head" ] || miss "after the upgrade $(davit_image) runs, not $head"
until_true 60 'the new Davit leads and has looked at the node' davit_works
sleep 20
saw "Davit $frozen -> $head, $(davit_writes "$from" "$(now)" | wc -l) writes by Davit"
assert_untouched 'after the upgrade'
workload | diff "$work/before.json" - || miss 'the upgrade changed the StatefulSet'
saw "same pod, no restart, same template, Ready $ready"

# It takes care of what the former one made.
kubectl delete svc -n $ns bn1
until_true 30 'the Service is back' kubectl get svc -n $ns bn1
kubectl patch bn -n $ns bn1 --type=merge -p '{"spec":{"storage":{"live":{"size":"96Mi"}}}}'
grown() { [ "$(kubectl get pvc -n $ns bn1-live -o json | jq -r '.spec.resources.requests.storage')" = 96Mi ]; }
until_true 30 'the claim is asked to grow' grown
assert_untouched 'after a deleted Service and a larger claim'
kill $publisher
wait $publisher || true
last=$(verify_chain $ns bn1)
[ "$last" -gt "$before" ] || miss "the chain ended at $before before the upgrade and ends at $last after it"
saw "chain verified to block $last, $((last - before)) of them since the upgrade began"

# Uninstalling: refused while a node exists, nothing is touched.
installed >"$work/installed"
[ "$(wc -l <"$work/installed")" -ge 8 ] || miss "installed is only: $(cat "$work/installed")"
if tools/uninstall >"$work/refusal" 2>&1; then miss 'tools/uninstall removed the definition of an existing node'; fi
grep -q "$ns/bn1" "$work/refusal" || miss "the refusal does not name $ns/bn1: $(cat "$work/refusal")"
installed | diff "$work/installed" - || miss 'the refusal removed something'
assert_untouched 'after the refusal'
saw "refused: $(grep "$ns/bn1" "$work/refusal" | tr -s ' ')"

kubectl delete bn -n $ns bn1 --timeout=60s
tools/uninstall
left=$(installed)
[ -z "$left" ] || miss "uninstall left $left"
claims=$(kubectl get pvc -n $ns -o name | wc -l)
[ "$claims" = 5 ] || miss "$claims claims are left, not 5"
saw 'uninstalled: nothing of Davit is left, the 5 claims of the node are'

# As other cases expect it.
[ -z "$same_version" ] || testbed/load-image build/images/davit.tar
tools/install --local >/dev/null
remove_namespace $ns
