# The Go programs of the testbed: built once per key, verified on each use.
# Cache layout: testbed/programs/NAME-KEY/{NAME,sha256,log} and testbed/KEY/bin with hard links to them.

DEFAULT_PROGRAMS=(kube etcd coredns)
KUBE_NAMES=(kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl)

# A Go older than the modules ask for fetches the right one itself; Debian's default forbids that.
go_in() { (cd "$TESTBED_SOURCE/$1" && shift && GOTOOLCHAIN=${GOTOOLCHAIN:-auto} GOFLAGS=-mod=readonly CGO_ENABLED=0 go "$@"); }

need_go() {
  command -v go >/dev/null || die "Go is not installed" "run tools/bootstrap, or put a Go >= 1.21 on PATH"
}

# The version a module requires: module_version DIRECTORY MODULE
module_version() { awk -v m="$2" '{sub(/^require /, "")} $1 == m {print $2; exit}' "$TESTBED_SOURCE/$1/go.mod"; }

program_key() {
  local version
  version=$(go_in "$1" env GOVERSION) || die "Go cannot provide the version that testbed/$1/go.mod asks for" \
    "it is fetched through the Go module proxy: look at the message above and at 'go env GOPROXY GOTOOLCHAIN'"
  (cd "$TESTBED_SOURCE/$1" && { cat -- *.go go.mod go.sum; echo "$version"; program_flags "$1"; } | sha256sum | cut -c1-16)
}

program_flags() {
  local flags="-s -w" version minor
  if [ "$1" = kube ]; then
    # Without a version, clients choke on v0.0.0-master.
    version=$(module_version kube k8s.io/kubernetes)
    minor=${version#v*.}
    for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
      flags+=" -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"
      flags+=" -X $package.gitTreeState=clean"
    done
  fi
  echo "$flags"
}

program_folder() { echo "$DAVIT_CACHE/testbed/programs/$1-$(program_key "$1")"; }

program_is_sound() { [ -x "$2/$1" ] && [ -s "$2/sha256" ] && (cd "$2" && sha256sum --quiet --status -c sha256); }

ensure_program() {
  local program=$1 folder start
  need_go
  folder=$(program_folder "$program")
  program_is_sound "$program" "$folder" && return
  [ ! -e "$folder/sha256" ] || warn "the cached $program does not match its checksum: building it again"
  mkdir -p "$folder"
  # Two callers at once: the second waits and finds the work done.
  exec 8>"$folder/lock"
  flock -n 8 || { say "$program: another process builds it; waiting"; flock 8; }
  if ! program_is_sound "$program" "$folder"; then
    start=$(now_ms)
    say "$program: building from Go modules (log: $folder/log); the first time takes minutes"
    rm -f "$folder/sha256" "$folder/$program"
    if ! go_in "$program" build -trimpath -ldflags "$(program_flags "$program")" \
      -o "$folder/$program" . >"$folder/log" 2>&1 8>&-; then
      tail -n 20 "$folder/log" >&2
      die "building $program failed after $(since "$start")" "whole log: $folder/log" \
        "a network error: run the same command again, finished packages are kept" \
        "'no space left': free some; the Go build cache needs about 8 GB (go env GOCACHE)"
    fi
    (cd "$folder" && sha256sum "$program" >sha256.new && mv sha256.new sha256)
    say "$program: built in $(since "$start")"
  fi
  exec 8>&-
}

# Prints the folder in which every given program has its usual names.
link_programs() {
  local program folder key bin name names
  key=$(for program; do program_key "$program"; done | sha256sum | cut -c1-16)
  bin=$DAVIT_CACHE/testbed/$key/bin
  mkdir -p "$bin"
  for program; do
    folder=$(program_folder "$program")
    names=("$program")
    [ "$program" != kube ] || names+=("${KUBE_NAMES[@]}")
    for name in "${names[@]}"; do
      [ "$bin/$name" -ef "$folder/$program" ] || ln -f "$folder/$program" "$bin/$name"
    done
  done
  echo "$bin"
}
