# Everything, for the commands that start, stop or look at components.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
for part in programs testbed process cgroup machine network pki images control_plane node cleanup; do
  # shellcheck disable=SC1090
  . "$TESTBED_SOURCE/lib/$part.sh"
done

# The components of this testbed, in the order in which they start.
components() {
  echo "${CONTROL_PLANE[@]}"
  [ ! -e "$FOLDER/run/kwok" ] || echo kwok
  if [ "$MODE" = full ]; then
    echo "${NODE_COMPONENTS[@]}"
    [ -z "$(provisioner_program)" ] || echo provisioner
  fi
}

# A testbed keeps the programs it was started with: BIN is recorded, not recomputed.
find_programs() { BIN=$(cat "$FOLDER/run/bin" 2>/dev/null) && [ -x "$BIN/kube" ]; }
