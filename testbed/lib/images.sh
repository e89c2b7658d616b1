# Images without a registry or a builder: a folder becomes an OCI archive with one layer.

# add_blob LAYOUT FILE: moves the file to its digest's place; prints "sha256:DIGEST SIZE".
add_blob() {
  local digest size
  digest=$(sha256sum <"$2" | cut -d' ' -f1)
  size=$(stat -c %s "$2")
  mv "$2" "$1/blobs/sha256/$digest"
  echo "sha256:$digest $size"
}

# oci_archive OUTPUT NAME ROOTFS CONFIG: CONFIG is the JSON of the image's "config" (Entrypoint, Env, User...).
oci_archive() {
  local output=$1 name=$2 rootfs=$3 config=$4 layout layer layer_size digest size
  layout=$(mktemp -d "$FOLDER/images/layout.XXXXXX")
  mkdir -p "$layout/blobs/sha256"
  tar -C "$rootfs" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$layout/new" .
  read -r layer layer_size < <(add_blob "$layout" "$layout/new")
  jq -nc --argjson config "$config" --arg layer "$layer" --arg arch "$(dpkg --print-architecture)" \
    '{architecture: $arch, os: "linux", config: $config, rootfs: {type: "layers", diff_ids: [$layer]}}' >"$layout/new"
  read -r digest size < <(add_blob "$layout" "$layout/new")
  jq -nc --arg config "$digest" --argjson size "$size" --arg layer "$layer" --argjson layer_size "$layer_size" \
    '{schemaVersion: 2, mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: {mediaType: "application/vnd.oci.image.config.v1+json", digest: $config, size: $size},
      layers: [{mediaType: "application/vnd.oci.image.layer.v1.tar", digest: $layer, size: $layer_size}]}' >"$layout/new"
  read -r digest size < <(add_blob "$layout" "$layout/new")
  jq -nc --arg name "$name" --arg digest "$digest" --argjson size "$size" \
    '{schemaVersion: 2, manifests: [{mediaType: "application/vnd.oci.image.manifest.v1+json", digest: $digest, size: $size,
      annotations: {"io.containerd.image.name": $name, "org.opencontainers.image.ref.name": ($name | split(":")[-1])}}]}' >"$layout/index.json"
  echo '{"imageLayoutVersion":"1.0.0"}' >"$layout/oci-layout"
  tar -C "$layout" -cf "$output" oci-layout index.json blobs
  rm -rf "$layout"
}

# The sandbox of every pod, and a small system for tests.
make_images() {
  local images=$FOLDER/images
  [ ! -e "$images/done" ] || return 0
  rm -rf "$images"
  mkdir -p "$images/pause" "$images/busybox"/{bin,etc,root,tmp}
  cc -Os -static -o "$images/pause/pause" "$TESTBED_SOURCE/images/pause.c"
  oci_archive "$images/pause.oci.tar" davit.local/pause:1 "$images/pause" '{"Entrypoint": ["/pause"], "User": "65535"}'
  cp "$(command -v busybox)" "$images/busybox/bin/busybox"
  "$images/busybox/bin/busybox" --list | grep -vx busybox | xargs -I{} ln -s busybox "$images/busybox/bin/{}"
  chmod 1777 "$images/busybox/tmp"
  printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n' >"$images/busybox/etc/passwd"
  printf 'root:x:0:\nnogroup:x:65534:\n' >"$images/busybox/etc/group"
  oci_archive "$images/busybox.oci.tar" davit.local/busybox:1 "$images/busybox" '{"Cmd": ["/bin/sh"], "Env": ["PATH=/bin"]}'
  touch "$images/done"
}

ctr_here() { ctr --address "$CONTAINERD_SOCKET" --namespace k8s.io "$@"; }

# A stray busybox is not a static one: Debian's package busybox-static is.
import_images() {
  local image
  for image in pause busybox; do
    ctr_here images list --quiet | grep -qx "davit.local/$image:1" || ctr_here images import "$FOLDER/images/$image.oci.tar" >/dev/null
  done
}
