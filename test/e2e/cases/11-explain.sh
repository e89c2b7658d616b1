#!/usr/bin/env bash
# Every field of a BlockNode's spec is described
undescribed=$(kubectl get crd blocknodes.davit.hiero.org -o json | jq -r '
  .spec.versions[0].schema.openAPIV3Schema.properties.spec
  | [paths(objects) as $p | getpath($p) | select(has("type") and (has("description") | not)) | $p]
  | map(select((.[-2] // "") == "properties") | map(tostring) | join(".")) | .[]')
[ -z "$undescribed" ] || miss "fields without a description: $undescribed"
fields=$(kubectl explain bn.spec --recursive | grep -cE '^ +[a-zA-Z]+\s')
[ "$fields" -gt 30 ] || miss "kubectl explain shows $fields fields"
saw "kubectl explain shows $fields fields, all described"
