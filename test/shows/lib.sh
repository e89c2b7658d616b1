# Sourced by proofs. verdict FIGURE BAR COMMAND…: the command decides.
verdict() {
  local figure=$1 bar=$2
  shift 2
  printf 'figure:  %s\nbar:     %s\n' "$figure" "$bar"
  if "$@"; then printf 'verdict: ok\n'; else printf 'verdict: MISS\n'; exit 1; fi
}

# verdict_of_cases BAR CASE…: end-to-end cases on a testbed of their own; what they saw is the figure.
verdict_of_cases() {
  local bar=$1 log result=0
  shift
  mkdir -p build
  log=build/shows-$1.log
  test/e2e/run "$@" >"$log" 2>&1 || result=1
  grep -E '^(-- |saw: |FAILED|MISS)' "$log" || true
  verdict "$(tail -n 1 "$log")" "$bar" test "$result" = 0
}

# logged NAME COMMAND…: runs it into $log; $result is 0 or 1.
logged() {
  mkdir -p build
  log=build/shows-$1.log result=0
  shift
  "$@" >"$log" || result=1
}
