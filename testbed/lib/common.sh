# Sourced by every testbed script: messages, and where things are.

TESTBED_SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
DAVIT_TREE=$(dirname "$TESTBED_SOURCE")
DAVIT_CACHE=${DAVIT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/davit}
if [ -z "${DAVIT_STATE:-}" ]; then
  DAVIT_STATE=/var/lib/davit
  [ "$(id -u)" = 0 ] || DAVIT_STATE=${XDG_STATE_HOME:-$HOME/.local/state}/davit
fi
# The packages' programs live in sbin, which a user's PATH may lack.
PATH=$PATH:/usr/sbin:/sbin

say() { printf '%s\n' "$@" >&2; }
warn() { printf 'warning: %s\n' "$*" >&2; }
die() {
  printf 'error: %s\n' "$1" >&2
  shift
  [ $# = 0 ] || printf '       %s\n' "$@" >&2
  exit 1
}

# Nothing ends without a word.
set -E
trap 'printf "error: %s line %s: failed: %s\n" "${BASH_SOURCE[0]}" "$LINENO" "$BASH_COMMAND" >&2' ERR

# Seconds (with tenths) since $1, a value of now_ms.
now_ms() { date +%s%3N; }
since() {
  local ms=$(($(now_ms) - $1))
  printf '%d.%d s' $((ms / 1000)) $((ms % 1000 / 100))
}

# usage FILE: prints the comment block at the top of a script, which is its help text.
usage() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$1"; }
