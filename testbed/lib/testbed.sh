# A testbed is a folder. Everything outside it (network namespace, cgroup, link) has a name derived
# from the folder's path, so that it can be found and removed when nothing else is left.

# use_testbed NAME: sets FOLDER and every derived name; reads the testbed's config if there is one.
use_testbed() {
  NAME=$1
  [[ $NAME =~ ^[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?$ ]] ||
    die "'$NAME' is no testbed name" "use at most 20 of a-z, 0-9 and '-'"
  FOLDER=$DAVIT_STATE/testbed/$NAME
  [[ $FOLDER =~ ^/[A-Za-z0-9_./-]+$ && ${#FOLDER} -le 60 ]] ||
    die "the testbed's folder $FOLDER cannot be used" \
      "sockets live in it: at most 60 characters, no spaces; set DAVIT_STATE to a shorter absolute path"
  HASH=$(printf %s "$FOLDER" | sha256sum | cut -c1-6)
  NETNS=davit-$NAME-$HASH
  CGROUP=davit-$NAME-$HASH
  LINK=davit-$HASH
  CNI_NETWORK=davit.$HASH
  NODE=davit-$NAME
  CONTAINERD_SOCKET=$FOLDER/run/containerd.sock
  ADMIN=$FOLDER/admin.kubeconfig
  MODE=
  # shellcheck disable=SC1091
  if [ -r "$FOLDER/config" ]; then . "$FOLDER/config"; fi
}

# name_argument "$@": the common flags of the small commands; what it does not know is in REST.
name_argument() {
  NAME=${DAVIT_TESTBED:-default}
  REST=()
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help) usage "$0"; exit ;;
      --name) [ $# -ge 2 ] || die "--name needs a value"; NAME=$2; shift ;;
      --name=*) NAME=${1#--name=} ;;
      *) REST+=("$1") ;;
    esac
    shift
  done
}

need_testbed() {
  use_testbed "$NAME"
  [ -n "$MODE" ] || die "there is no testbed '$NAME' (no $FOLDER/config)" \
    "start it: testbed/up --name $NAME" "those that exist: $(testbed_names)"
}

testbed_names() {
  local names
  names=$(cd "$DAVIT_STATE/testbed" 2>/dev/null && ls -d -- */ 2>/dev/null | tr -d / | tr '\n' ' ') || true
  echo "${names:-none}"
}

# One command at a time per testbed; the descriptor is closed in everything that is started.
lock_testbed() {
  mkdir -p "$DAVIT_STATE/testbed" 2>/dev/null ||
    die "cannot create $DAVIT_STATE/testbed" "run as root, or set DAVIT_STATE to a folder of yours"
  exec 9>"$DAVIT_STATE/testbed/.$NAME.lock"
  flock -n 9 || { say "another command works on testbed '$NAME'; waiting"; flock 9; }
}

write_config() {
  mkdir -p "$FOLDER"
  {
    echo "# Written by testbed/up; read by the other commands."
    for name in MODE HOST_IP NODE_IP POD_CIDR POD_GATEWAY SERVICE_CIDR SERVICE_IP DNS_IP \
      API_PORT ETCD_PORT ETCD_PEER_PORT CONTROLLER_PORT SCHEDULER_PORT; do
      echo "$name=${!name:-}"
    done
  } >"$FOLDER/config.new"
  mv "$FOLDER/config.new" "$FOLDER/config"
}
