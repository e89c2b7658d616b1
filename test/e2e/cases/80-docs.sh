#!/usr/bin/env bash
# The commands in the guide run as they are written, and every link in the documentation leads somewhere
test/e2e/links

kubectl apply -k deploy/local/sample
want_ready bn-test sample 180
export PATH=$PWD/build/release/bin:$PATH

# A block runs if the line before it says so: <!-- runs as a test: ... -->, then ```sh.
blocks=build/e2e/docs
rm -rf "$blocks"
mkdir -p "$blocks"
awk -v folder="$blocks" '
  FNR == 1 { marked = inside = 0; n = split(FILENAME, part, "/"); name = part[n]; sub(/\.md$/, "", name) }
  inside && /^```/ { inside = 0; close(file); next }
  inside { print >file; next }
  marked && /^```sh/ { inside = 1; file = sprintf("%s/%s-line-%03d.sh", folder, name, FNR + 1); next }
  /^<!-- runs as a test: .*-->/ { marked = 1; next }
  NF { marked = 0 }' docs/guide/*.md
marks=$(grep -h '^<!-- runs as a test: ' docs/guide/*.md | wc -l)
count=$(find "$blocks" -name '*.sh' -size +0 | wc -l)
[ "$count" -gt 0 ] || miss 'no block of docs/guide is marked to run'
[ "$count" = "$marks" ] || miss "$marks marks in docs/guide, but $count blocks: a mark stands right before its sh block"
for block in "$blocks"/*.sh; do
  printf '%s\n' "+ $block" "$(cat "$block")"
  timeout 300 bash -euo pipefail "$block" >"$block.out" 2>&1 || miss "$block (exit $?): $(tail -n 5 "$block.out")"
  [ -s "$block.out" ] || miss "$block prints nothing"
done
saw "ran from the guide: $(cd "$blocks" && echo *.sh)"
