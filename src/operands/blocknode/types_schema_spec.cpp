// Tables of BlockNode.spec. Rules sit on fields, never at the root, and never narrow within
// v1alpha1.
#include "operands/blocknode/types_schema.hpp"

namespace davit::wire {

namespace {

using namespace blocknode;

constexpr std::string_view kLabelPattern = "^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$";
constexpr std::string_view kObjectNamePattern =
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

constexpr Rule kOneOfSizeAndClaim{
    .cel = "has(self.size) != has(self.existingClaim)",
    .message =
        "give exactly one of size (Davit makes the claim) and existingClaim (it is there "
        "already)",
    .expression{}};
constexpr Rule kAtMostOneOfSizeAndClaim{
    .cel = "!(has(self.size) && has(self.existingClaim))",
    .message =
        "give at most one of size (Davit makes the claim) and existingClaim (it is there "
        "already)",
    .expression{}};

}  // namespace

template <>
const Struct& describe<NetworkSpec>() {
  static constexpr Field kFields[]{
      field<&NetworkSpec::name>(
          {.name = "name",
           .text = "Name of the Hiero network whose blocks the node holds, for example mainnet. "
                   "It is written on every volume; a volume of another network is refused.",
           .required = true,
           .min_length = 1,
           .max_length = 63,
           .pattern = kLabelPattern,
           .immutable = "the network of a node cannot change: its volumes hold that network's "
                        "blocks. Create another BlockNode for the other network, and delete this "
                        "one if it is not wanted"}),
      field<&NetworkSpec::ledger_id>(
          {.name = "ledgerId",
           .text = "Ledger ID of the network, in hexadecimal without 0x.",
           .absent = "not known, and not checked",
           .max_length = 128,
           .pattern = "^([0-9a-f][0-9a-f])+$",
           .immutable = "the ledger ID of a node cannot change: its volumes hold that ledger's "
                        "blocks. Create another BlockNode for the other ledger"}),
  };
  static constexpr Struct kStruct =
      structure<NetworkSpec>("NetworkSpec", "Which network the node serves.", kFields);
  return kStruct;
}

template <>
const Struct& describe<VolumeSpec>() {
  static constexpr Field kFields[]{
      field<&VolumeSpec::size>(
          {.name = "size",
           .text = "Size of the claim that Davit makes. It may grow if the storage class allows "
                   "it; it never shrinks.",
           .unit = "bytes, as a quantity such as 500Gi or 6Ti",
           .absent = "none; existingClaim is used",
           .form = Form::kSize,
           .min_length = 1,
           .max_length = 32,
           .rule = {.cel = "isQuantity(self) && quantity(self).isGreaterThan(quantity('0'))",
                    .message = "give a size above zero, such as 500Gi or 6Ti",
                    .expression = "self + ' is not a size: give a quantity above zero, such as "
                                  "500Gi or 6Ti'"},
           .second_rule = {.cel = "!isQuantity(self) || !isQuantity(oldSelf) || "
                                  "quantity(self).compareTo(quantity(oldSelf)) >= 0",
                           .message = "a volume never shrinks: give the old size or more",
                           .expression = "self + ' is smaller than ' + oldSelf + ': a volume never "
                                         "shrinks. Give ' + oldSelf + ' or more'"}}),
      field<&VolumeSpec::storage_class_name>(
          {.name = "storageClassName",
           .text = "StorageClass of the claim that Davit makes. It cannot change once the claim "
                   "exists.",
           .absent = "the default StorageClass of the cluster",
           .min_length = 1,
           .max_length = 253,
           .pattern = kObjectNamePattern}),
      field<&VolumeSpec::existing_claim>(
          {.name = "existingClaim",
           .text = "Name of a PersistentVolumeClaim in the same namespace to use in place of one "
                   "made by Davit. Davit neither grows, labels nor deletes it.",
           .absent = "none; Davit makes a claim of the given size",
           .min_length = 1,
           .max_length = 253,
           .pattern = kObjectNamePattern}),
  };
  static constexpr Struct kStruct = structure<VolumeSpec>(
      "VolumeSpec", "One volume of the node: a size, or a claim that exists.", kFields);
  return kStruct;
}

template <>
const Struct& describe<StorageSpec>() {
  static constexpr Field kFields[]{
      field<&StorageSpec::live>(
          {.name = "live",
           .text = "Volume of the newest blocks, one file each; fast disk. Mounted at "
                   "/opt/hiero/block-node/data/live.",
           .required = true,
           .rule = kOneOfSizeAndClaim}),
      field<&StorageSpec::historic>(
          {.name = "historic",
           .text = "Volume of the older blocks, packed in zip files; large disk. Mounted at "
                   "/opt/hiero/block-node/data/historic.",
           .required = true,
           .rule = kOneOfSizeAndClaim}),
      field<&StorageSpec::application_state>(
          {.name = "applicationState",
           .text = "Volume of the trust material and the list of stored ranges; small. Mounted at "
                   "/opt/hiero/block-node/application-state.",
           .required = true,
           .rule = kOneOfSizeAndClaim}),
      field<&StorageSpec::logs>({.name = "logs",
                                 .text = "Volume of the log files, at most five of 5 MB. Mounted "
                                         "at /opt/hiero/block-node/logs.",
                                 .required = true,
                                 .rule = kOneOfSizeAndClaim}),
      field<&StorageSpec::plugins>(
          {.name = "plugins",
           .text = "Volume of the plugins. Mounted over the plugins folder of the image.",
           .absent = "none: the image brings its plugins",
           .rule = kAtMostOneOfSizeAndClaim}),
  };
  static constexpr Struct kStruct = structure<StorageSpec>(
      "StorageSpec",
      "The volumes of the node. Davit names the claims it makes <name>-live, <name>-historic, "
      "<name>-application-state, <name>-logs and <name>-plugins, and finds them again under these "
      "names.",
      kFields);
  return kStruct;
}

template <>
const Struct& describe<ResourcesSpec>() {
  static constexpr Field kFields[]{
      field<&ResourcesSpec::requests>(
          {.name = "requests",
           .text = "What the scheduler sets aside for the server, by resource name.",
           .unit = "quantities: cores for cpu, bytes for memory",
           .absent = "the limits",
           .form = Form::kQuantity,
           .max_length = 32,
           .max_items = 16}),
      field<&ResourcesSpec::limits>(
          {.name = "limits",
           .text = "What the server may use at most, by resource name. The Java heap is derived "
                   "from limits.memory (about three quarters of it).",
           .unit = "quantities: cores for cpu, bytes for memory",
           .absent = "no limit; the heap is then derived from requests.memory, without that it "
                     "is 1Gi",
           .form = Form::kQuantity,
           .max_length = 32,
           .max_items = 16}),
  };
  static constexpr Struct kStruct = structure<ResourcesSpec>(
      "ResourcesSpec", "Compute resources of the server's container.", kFields);
  return kStruct;
}

template <>
const Struct& describe<ImageSpec>() {
  static constexpr Field kFields[]{
      field<&ImageSpec::repository>(
          {.name = "repository",
           .text = "Registry and repository of the server's image, without tag or digest.",
           .absent = "what Davit was started with (--default-image)",
           .min_length = 1,
           .max_length = 255,
           .pattern = "^[a-z0-9][-a-zA-Z0-9._]*(:[0-9]{1,5})?(/[a-z0-9][-a-z0-9._]*)*$"}),
      field<&ImageSpec::tag>(
          {.name = "tag",
           .text = "Tag of the image. The server inside must be of spec.version.",
           .absent = "spec.version",
           .min_length = 1,
           .max_length = 128,
           .pattern = "^[A-Za-z0-9_][-A-Za-z0-9_.]*$"}),
      field<&ImageSpec::digest>(
          {.name = "digest",
           .text = "Digest of the image; wins over tag. The server inside must be of "
                   "spec.version.",
           .absent = "none; the tag decides",
           .max_length = 71,
           .pattern = "^sha256:[0-9a-f]{64}$"}),
      field<&ImageSpec::pull_policy>({.name = "pullPolicy",
                                      .text = "When the kubelet pulls the image.",
                                      .absent = "IfNotPresent",
                                      .one_of = "Always IfNotPresent Never"}),
      field<&ImageSpec::pull_secrets>(
          {.name = "pullSecrets",
           .text = "Names of the Secrets of the namespace that hold registry credentials.",
           .absent = "none",
           .max_length = 253,
           .max_items = 8,
           .pattern = kObjectNamePattern,
           .set = true}),
  };
  static constexpr Struct kStruct = structure<ImageSpec>(
      "ImageSpec",
      "Where the server's image comes from. It never changes what version is wanted: that is "
      "spec.version.",
      kFields);
  return kStruct;
}

template <>
const Struct& describe<ExposureSpec>() {
  static constexpr Field kFields[]{
      field<&ExposureSpec::type>({.name = "type",
                                  .text = "Type of the Service that clients and publishers use.",
                                  .defaulted = true,
                                  .one_of = "ClusterIP NodePort LoadBalancer"}),
      field<&ExposureSpec::ports>(
          {.name = "ports",
           .text = "Shared: every gRPC service answers on port 40840. Split: publish 40984, "
                   "subscribe 40980, block access 40981 and server status 40982 have ports of "
                   "their own, so that each can be guarded by itself.",
           .defaulted = true,
           .one_of = "Shared Split"}),
      field<&ExposureSpec::annotations>(
          {.name = "annotations",
           .text = "Annotations of the Service, for example for a load balancer.",
           .absent = "none",
           .max_length = 4096,
           .max_items = 32}),
  };
  static constexpr Struct kStruct =
      structure<ExposureSpec>("ExposureSpec", "How the node is reached.", kFields);
  return kStruct;
}

template <>
const Struct& describe<PoliciesSpec>() {
  static constexpr Field kFields[]{
      field<&PoliciesSpec::deletion>(
          {.name = "deletion",
           .text = "What happens when the BlockNode is deleted. Retain: the pod goes, the claims "
                   "and their data stay. Orphan: the pod goes on running too. Delete: the claims "
                   "that Davit made go, and the blocks on them.",
           .defaulted = true,
           .one_of = "Retain Orphan Delete"}),
  };
  static constexpr Struct kStruct =
      structure<PoliciesSpec>("PoliciesSpec", "What Davit may do, and when.", kFields);
  return kStruct;
}

template <>
const Struct& describe<BlockNodeSpec>() {
  static constexpr Field kFields[]{
      field<&BlockNodeSpec::version>(
          {.name = "version",
           .text = "Version of the Block Node server to run, for example 0.40.1. It is never "
                   "chosen for you.",
           .required = true,
           .min_length = 1,
           .max_length = 64,
           .rule = {.cel = "self.matches(r'^(0|[1-9][0-9]{0,5})\\.(0|[1-9][0-9]{0,5})\\."
                           "(0|[1-9][0-9]{0,5})(-[0-9A-Za-z]([-0-9A-Za-z.]*[0-9A-Za-z])?)?$')",
                    .message = "give three numbers, such as 0.40.1, or a pre-release such as "
                               "0.41.0-rc1",
                    .expression = "self + ' is not a version: give three numbers, such as 0.40.1, "
                                  "or a pre-release such as 0.41.0-rc1'"}}),
      field<&BlockNodeSpec::image>({.name = "image",
                                    .text = "Where the server's image comes from.",
                                    .absent = "the repository that Davit was started with "
                                              "(--default-image), with spec.version as tag"}),
      field<&BlockNodeSpec::network>(
          {.name = "network", .text = "Which network the node serves.", .required = true}),
      field<&BlockNodeSpec::tier>(
          {.name = "tier",
           .text = "1: consensus nodes publish to it. 2: it gets its blocks from other Block "
                   "Nodes.",
           .defaulted = true,
           .minimum = 1,
           .maximum = 2}),
      field<&BlockNodeSpec::profile>(
          {.name = "profile",
           .text = "Role of the node. LFH: all blocks on local disks. RFH: all blocks in an "
                   "object store. Rolling: the newest blocks only. Archive: writes history for "
                   "others. Minimal: as little as runs.",
           .defaulted = true,
           .one_of = "LFH RFH Rolling Archive Minimal"}),
      field<&BlockNodeSpec::disruption_group>(
          {.name = "disruptionGroup",
           .text = "Nodes of one group are restarted, drained and evicted one at a time, over all "
                   "namespaces.",
           .absent = "<network>-tier<tier>",
           .min_length = 1,
           .max_length = 63,
           .pattern = kLabelPattern}),
      field<&BlockNodeSpec::resources>({.name = "resources",
                                        .text = "Compute resources of the server's container.",
                                        .absent = "no requests and no limits"}),
      field<&BlockNodeSpec::storage>(
          {.name = "storage", .text = "The volumes of the node.", .required = true}),
      field<&BlockNodeSpec::extra_config>(
          {.name = "extraConfig",
           .text = "Settings of the server, by environment name (SERVER_MAX_TCP_CONNECTIONS) or "
                   "property name (server.maxTcpConnections), and JAVA_OPTS and JAVA_TOOL_OPTIONS. "
                   "docs/reference/blocknode-settings.md lists them. A setting that is unknown or "
                   "out of range is reported in the condition ConfigurationApplied, and the "
                   "running node is left "
                   "as it is. A change restarts the server.",
           .absent = "the server's own defaults",
           .form = Form::kText,
           .max_length = 4096,
           .max_items = 256}),
      field<&BlockNodeSpec::exposure>(
          {.name = "exposure", .text = "How the node is reached.", .defaulted = true}),
      field<&BlockNodeSpec::policies>(
          {.name = "policies", .text = "What Davit may do, and when.", .defaulted = true}),
  };
  static constexpr Struct kStruct =
      structure<BlockNodeSpec>("BlockNodeSpec", "What the node should be.", kFields);
  return kStruct;
}

}  // namespace davit::wire
