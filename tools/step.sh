# Sourced: steps of a longer command, each announced, timed, and explained when it fails.
#
#   step 'builds Davit' make-davit.log cmake --build …
# Output goes to build/log/FILE; on failure its end is shown, and how to go on.

step_log_dir=build/log
mkdir -p "$step_log_dir"
step_count=0
step_table=()

step() { # TEXT LOG COMMAND…
  local text=$1 log=$step_log_dir/$2 begin=$SECONDS pid took
  shift 2
  step_count=$((step_count + 1))
  printf '%2d  %s ' "$step_count" "$text"
  "$@" >"$log" 2>&1 &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 1
    (((SECONDS - begin) % 15 != 14)) || printf '.'
  done
  took=$((SECONDS - begin))
  if wait "$pid"; then
    printf ' %d s\n' "$took"
    step_table+=("$(printf '%5d s  %s' "$took" "$text")")
    return
  fi
  printf ' failed after %d s\n\nThe end of %s:\n' "$took" "$log" >&2
  tail -n 20 "$log" | sed 's/^/    /' >&2
  printf '\nStep "%s" failed. Whole output: %s. Mend the cause and run the same command again: finished steps are quick.\n' "$text" "$log" >&2
  exit 1
}
