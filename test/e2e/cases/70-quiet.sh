#!/usr/bin/env bash
# A quiet minute after Ready: no request by Davit but reads, watches, leases and reviews
kubectl get bn -A --no-headers -o custom-columns=NS:.metadata.namespace,N:.metadata.name | while read -r ns name; do
  want_condition 120 "$ns" "$name" Ready 'True *'
done
sleep 20
from=$(now); sleep 60; to=$(now)
writes=$(davit_writes "$from" "$to")
[ -z "$writes" ] || miss "writes in a quiet minute: $(jq -c '[.verb, .requestURI]' <<<"$writes")"
saw "0 writes, $(davit_requests "$from" "$to" | wc -l) requests in a quiet minute"
