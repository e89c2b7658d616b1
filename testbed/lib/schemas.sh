# The schemas of Kubernetes' own kinds, from its published module: what the simulated API server
# (sim/schemas) reads; and the numbers of their members in protobuf, which kubectl sends to it (sim/serve).
# Two files in the cache, made again when testbed/kube/go.mod names another version.

# Groups whose kinds the simulator may serve; the rest of the specification is left where it is.
SCHEMA_GROUPS=(api__v1 apis__{apps,autoscaling,batch,policy}__v1
  apis__{admissionregistration,apiextensions,authentication,authorization,coordination,discovery,events,networking,rbac.authorization,scheduling,storage}.k8s.io__v1)

# Packages whose messages are known.
MESSAGE_PACKAGES=(api/{core,apps,autoscaling,batch,policy,authentication,authorization,coordination,events,networking,rbac,scheduling,storage}/v1
  apimachinery/pkg/{apis/meta/v1,api/resource,util/intstr,runtime})

schemas_file() { echo "$DAVIT_CACHE/testbed/kubernetes-schemas.json"; }
messages_file() { echo "$DAVIT_CACHE/testbed/kubernetes-messages.json"; }

is_of_version() { [ -s "$1" ] && [ "$(head -c 64 "$1" | sed -n 's/^{"version":"\([^"]*\)".*/\1/p')" = "$2" ]; }

ensure_schemas() {
  local version file folder group sources=()
  version=$(module_version kube k8s.io/kubernetes)
  ensure_messages "$version"
  file=$(schemas_file)
  ! is_of_version "$file" "$version" || return 0
  need_go
  command -v jq >/dev/null || die "jq is not installed" "run tools/bootstrap"
  go_in kube mod download k8s.io/kubernetes ||
    die "the module k8s.io/kubernetes@$version cannot be fetched" "look at the message above and at 'go env GOPROXY'"
  folder=$(go_in kube list -m -f '{{.Dir}}' k8s.io/kubernetes)/api/openapi-spec/v3
  for group in "${SCHEMA_GROUPS[@]}"; do sources+=("$folder/${group}_openapi.json"); done
  mkdir -p "$(dirname "$file")"
  # Without descriptions it is a twentieth of the size.
  jq -cs --arg version "$version" '{version: $version, schemas: ([.[].components.schemas] | add
      | walk(if type == "object" and (.description | type) == "string" then del(.description) else . end))}' \
    "${sources[@]}" >"$file.$$"
  mv "$file.$$" "$file"
  say "schemas of Kubernetes $version: $file"
}

# One line per member: message, number, name, type, and how it is there (repeated, map, pointer, inline, or
# value). The first comes from generated.proto, whether it is a pointer or inline from the tags of the Go types.
message_members() {
  awk '
    FILENAME ~ /\.go$/ && /^type [A-Za-z0-9]+ struct/ { struct = $2 }
    FILENAME ~ /\.go$/ && /protobuf:"/ && !/^[ \t]*\/\// {
      name = $0; sub(/.*protobuf:"[^"]*name=/, "", name); sub(/[",].*/, "", name)
      if ($0 ~ /json:",inline/) how[struct "." name] = "inline"
      else if ($2 ~ /^\*/) how[struct "." name] = "pointer"
    }
    FILENAME ~ /\.go$/ { next }
    /^package / { package = $2; sub(/;/, "", package) }
    /^message / { message = $2 }
    /^}/ { message = "" }
    message != "" && /^  (optional|repeated|map<)/ {
      line = $0; sub(/;.*/, "", line); sub(/^ */, "", line)
      number = line; sub(/.*= */, "", number); sub(/ *=.*/, "", line)
      name = line; sub(/.* /, "", name); sub(/ [^ ]*$/, "", line)
      label = "value"
      if (line ~ /^repeated /) label = "repeated"
      else if (line ~ /^map</) { label = "map"; sub(/^map<[a-z0-9]+, */, "", line); sub(/>$/, "", line) }
      else if ((message "." name) in how) label = how[message "." name]
      sub(/^(optional|repeated) /, "", line)
      if (line ~ /^\./) sub(/^\./, "", line)
      else if (line ~ /^[A-Z]/) line = package "." line
      print package "." message "\t" number "\t" name "\t" line "\t" label
    }' "$@"
}

ensure_messages() {
  local file package folder
  file=$(messages_file)
  ! is_of_version "$file" "$1" || return 0
  need_go
  command -v jq >/dev/null || die "jq is not installed" "run tools/bootstrap"
  go_in kube mod download k8s.io/api k8s.io/apimachinery ||
    die "the modules of Kubernetes $1 cannot be fetched" "look at the message above and at 'go env GOPROXY'"
  mkdir -p "$(dirname "$file")"
  for package in "${MESSAGE_PACKAGES[@]}"; do
    folder=$(go_in kube list -m -f '{{.Dir}}' "k8s.io/${package%%/*}")/${package#*/}
    message_members "$folder"/*.go "$folder/generated.proto"
  done | jq -cRs --arg version "$1" '{version: $version, messages: (split("\n") | map(select(. != "") | split("\t"))
      | reduce .[] as [$message, $number, $name, $type, $how] ({}; .[$message][$number] = [$name, $type, $how]))}' >"$file.$$"
  mv "$file.$$" "$file"
  say "protobuf messages of Kubernetes $1: $file"
}
