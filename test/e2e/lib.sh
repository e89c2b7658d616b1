# Sourced by end-to-end cases: waits, nodes, faults, counts. Each wait has a limit and says what it wanted.

saw() { printf 'saw: %s\n' "$*"; }
miss() { printf 'MISS: %s\n' "$*" >&2; exit 1; }

until_true() { # SECONDS WHAT COMMAND…: tries twice a second
  local limit=$1 what=$2 end=$((SECONDS + $1))
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || miss "not within $limit s: $what"
    sleep 0.5
  done
}

condition() { # NS NAME TYPE → "Status Reason Message"
  kubectl get bn -n "$1" "$2" -o json |
    jq -r --arg type "$3" '[.status.conditions[]? | select(.type == $type)][0] // {} | "\(.status) \(.reason) \(.message)"'
}
condition_is() { # NS NAME TYPE PATTERN (of "Status Reason Message")
  [[ $(condition "$1" "$2" "$3") == $4 ]]
}
want_condition() { # SECONDS NS NAME TYPE PATTERN
  local begin=$SECONDS
  until_true "$1" "$4 of $2/$3 like '$5'; it is '$(condition "$2" "$3" "$4")'" condition_is "$2" "$3" "$4" "$5"
  saw "$4 of $3: $(condition "$2" "$3" "$4") (after $((SECONDS - begin)) s)"
}
want_ready() { want_condition "${3:-90}" "$1" "$2" Ready 'True Serving*'; }

# node NS NAME [JQ-EDIT]: creates the namespace and a small Block Node.
node() {
  kubectl create namespace "$1" --dry-run=client -o yaml | kubectl apply -f - >/dev/null
  node_manifest "$1" "$2" "${3-.}" | kubectl apply -f -
}
node_manifest() { # NS NAME [JQ-EDIT]
  jq -n --arg ns "$1" --arg name "$2" '{
    apiVersion: "davit.hiero.org/v1alpha1", kind: "BlockNode", metadata: {namespace: $ns, name: $name},
    spec: {
      version: "0.40.1", network: {name: "solo"}, tier: 1, profile: "LFH",
      resources: {requests: {cpu: "20m", memory: "64Mi"}, limits: {memory: "1Gi"}},
      storage: {
        live: {size: "64Mi"}, historic: {size: "64Mi"}, applicationState: {size: "16Mi"},
        logs: {size: "16Mi"}, plugins: {size: "16Mi"}},
      exposure: {type: "ClusterIP", ports: "Shared"}}}' | jq "${3-.}"
}

server_pod() { kubectl get pod -n "$1" -l "davit.hiero.org/blocknode=$2" -o jsonpath='{.items[0].metadata.name}'; }
pod_uid() { kubectl get pod -n "$1" -l "davit.hiero.org/blocknode=$2" -o jsonpath='{.items[0].metadata.uid}'; }
pod_ip() { kubectl get pod -n "$1" -l "davit.hiero.org/blocknode=$2" -o jsonpath='{.items[0].status.podIP}'; }

volume_path() { # NS NAME ROLE: the claim's file system on this host
  local volume
  volume=$(kubectl get pvc -n "$1" "$2-$3" -o jsonpath='{.spec.volumeName}')
  printf '%s/volumes/%s' "$DAVIT_TESTBED_FOLDER" "$volume"
}
fault() { # NS NAME FAULT…: what the stand-in does from now on; none: all well
  local file
  file=$(volume_path "$1" "$2" logs)/standin-faults
  shift 2
  printf '%s\n' "$@" >"$file"
}

standin=build/release/bin/blocknode-standin
publish() { # NS NAME COUNT [RATE]: blocks into the node, from this host
  "$standin" publish --to "$(pod_ip "$1" "$2"):40840" --count "$3" --rate "${4:-50}" --size 400
}
verify_chain() { # NS NAME: reads all blocks back, verifies the chain; prints the last number
  local line
  line=$("$standin" subscribe --from "$(pod_ip "$1" "$2"):40840" --first 0 --until-live 2>&1 | tail -n 1)
  [[ $line == *'verified blocks '* ]] || miss "the chain of $1/$2 does not verify: $line"
  printf '%s\n' "${line##*..}"
}

audit_log() { printf '%s/log/audit.log' "$DAVIT_TESTBED_FOLDER"; }
# requests_of_davit FROM TO: requests in the audit log by Davit's service account between two RFC 3339 times
davit_requests() {
  jq -c --arg from "$1" --arg to "$2" 'select(.stage == "ResponseComplete" or .stage == "Panic")
    | select(.user.username == "system:serviceaccount:davit-system:davit")
    | select(.requestReceivedTimestamp >= $from and .requestReceivedTimestamp < $to)' "$(audit_log)"
}
davit_writes() { # FROM TO: everything that is not a read, a watch, a lease or a review
  davit_requests "$1" "$2" | jq -c 'select(.verb as $v | ["get", "list", "watch"] | index($v) | not)
    | select(.objectRef.resource as $r | ["leases", "selfsubjectaccessreviews", "tokenreviews", "subjectaccessreviews"] | index($r) | not)'
}
now() { date -u +%Y-%m-%dT%H:%M:%S.%6NZ; }

# fresh NS: an empty namespace, whatever an earlier run left there; its kept volumes go too
fresh() {
  kubectl delete bn -n "$1" --all --timeout=60s >/dev/null 2>&1 || true
  kubectl delete namespace "$1" --timeout=120s >/dev/null 2>&1 || true
  kubectl get pv -o json | jq -r --arg ns "$1" '.items[] | select(.spec.claimRef.namespace == $ns and .status.phase == "Released") | .metadata.name' |
    xargs -r kubectl delete pv >/dev/null
  kubectl create namespace "$1" >/dev/null
}
remove_namespace() { kubectl delete namespace "$1" --wait=false >/dev/null; }
