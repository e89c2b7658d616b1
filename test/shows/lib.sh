# Sourced by proofs. verdict FIGURE BAR COMMAND…: the command decides.
verdict() {
  local figure=$1 bar=$2
  shift 2
  printf 'figure:  %s\nbar:     %s\n' "$figure" "$bar"
  if "$@"; then printf 'verdict: ok\n'; else printf 'verdict: MISS\n'; exit 1; fi
}
