# Processes are known by pid and start time, so that a recycled pid is never taken for ours.

start_time() { local stat; stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1; set -- ${stat##*) }; echo "${20}"; }

# alive NAME: is the recorded process still that process (and not a zombie)?
alive() {
  local pid start stat
  read -r pid start 2>/dev/null <"$FOLDER/run/$1.pid" || return 1
  stat=$(cat "/proc/$pid/stat" 2>/dev/null) || return 1
  set -- ${stat##*) }
  [ "$1" != Z ] && [ "${20}" = "$start" ]
}

pid_of() { local pid _; read -r pid _ <"$FOLDER/run/$1.pid" && echo "$pid"; }

# start_process NAME COMMAND...: its own session, a clean environment, output to log/NAME.log.
start_process() {
  local name=$1 pid
  shift
  (
    exec 7>&- 8>&- 9>&- </dev/null >>"$FOLDER/log/$name.log" 2>&1
    cd "$FOLDER"
    enter_cgroup
    exec setsid env -i PATH="$BIN:$PATH" HOME="$FOLDER" "$@"
  ) &
  pid=$!
  disown "$pid"
  echo "$pid $(start_time "$pid")" >"$FOLDER/run/$name.pid"
}

# In the testbed's network; a control plane alone lives in the caller's.
in_network() { if [ "$MODE" = full ]; then echo "nsenter --net=/run/netns/$NETNS --"; fi; }

# stop_process NAME SIGNAL SECONDS: waits that long, then kills.
stop_process() {
  local pid deadline
  alive "$1" || { rm -f "$FOLDER/run/$1.pid"; return 0; }
  pid=$(pid_of "$1")
  kill -s "$2" "$pid" 2>/dev/null || true
  deadline=$(($(now_ms) + $3 * 1000))
  while alive "$1"; do
    [ "$(now_ms)" -lt $deadline ] || kill -s KILL "$pid" 2>/dev/null || true
    sleep 0.02
  done
  rm -f "$FOLDER/run/$1.pid"
}

# fail_step COMPONENT WHAT [HOW TO GO ON...]: the message for three in the morning.
fail_step() {
  local log=$FOLDER/log/$1.log
  say "" "error: testbed '$NAME': $1: $2"
  if [ -s "$log" ]; then
    say "--- last lines of $log"
    tail -n 15 "$log" | cut -c1-400 >&2
    say "---"
  fi
  if [ $# -gt 2 ]; then
    say "${@:3}"
  else
    say "to go on: testbed/up --name $NAME     tries again and keeps what runs" \
      "          testbed/down --name $NAME   removes all of it; then start afresh"
  fi
  exit 1
}

# holds_within SECONDS COMMAND...
holds_within() {
  local deadline=$(($(now_ms) + $1 * 1000))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$(now_ms)" -lt $deadline ] || return 1
    sleep 0.1
  done
}

# wait_for COMPONENT SECONDS WHAT COMMAND...: polls; a dead process fails at once.
wait_for() {
  local component=$1 seconds=$2 what=$3 deadline
  shift 3
  deadline=$(($(now_ms) + seconds * 1000))
  until "$@" >/dev/null 2>&1; do
    [ ! -e "$FOLDER/run/$component.pid" ] || alive "$component" || fail_step "$component" "the process ended while waiting until $what"
    [ "$(now_ms)" -lt $deadline ] || fail_step "$component" "not so after $seconds s: $what"
    sleep 0.1
  done
}
