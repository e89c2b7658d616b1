// Tables of BlockNode.status. Limits are generous: status is Davit's own, and must never be
// refused.
#include "operands/blocknode/types_schema.hpp"

namespace davit::wire {

using namespace blocknode;

template <>
const Struct& describe<VolumeStatus>() {
  static constexpr Field kFields[]{
      field<&VolumeStatus::name>({.name = "name",
                                  .text = "Which volume: live, historic, applicationState, logs or "
                                          "plugins.",
                                  .required = true,
                                  .max_length = 63}),
      field<&VolumeStatus::claim>({.name = "claim",
                                   .text = "Name of its PersistentVolumeClaim.",
                                   .source = "spec.storage",
                                   .required = true,
                                   .max_length = 253}),
      field<&VolumeStatus::size>({.name = "size",
                                  .text = "Capacity as bound.",
                                  .unit = "bytes, as a quantity",
                                  .absent = "absent until bound",
                                  .source = "the claim's status.capacity",
                                  .form = Form::kQuantity,
                                  .max_length = 64}),
      field<&VolumeStatus::used_percent>({.name = "usedPercent",
                                          .text = "How full the volume is.",
                                          .unit = "percent",
                                          .absent = "absent until the agent has reported",
                                          .source = "the agent in the pod",
                                          .minimum = 0,
                                          .maximum = 100}),
      field<&VolumeStatus::phase>({.name = "phase",
                                   .text = "Phase of the claim: Pending, Bound or Lost.",
                                   .absent = "absent while there is no claim",
                                   .source = "the claim's status.phase",
                                   .max_length = 63}),
  };
  static constexpr Struct kStruct =
      structure<VolumeStatus>("VolumeStatus", "What is known of one volume.", kFields);
  return kStruct;
}

template <>
const Struct& describe<Condition>() {
  static constexpr Field kFields[]{
      field<&Condition::type>({.name = "type",
                               .text = "Name of the condition, for example Ready.",
                               .required = true,
                               .max_length = 316}),
      field<&Condition::status>({.name = "status",
                                 .text = "Whether it holds.",
                                 .required = true,
                                 .one_of = "True False Unknown"}),
      field<&Condition::reason>({.name = "reason",
                                 .text = "One word that programs may branch on. "
                                         "docs/reference/blocknode-reasons.md lists them.",
                                 .required = true,
                                 .max_length = 1024}),
      field<&Condition::message>({.name = "message",
                                  .text = "What was found, and what to do, in plain sentences.",
                                  .required = true,
                                  .max_length = 32768}),
      field<&Condition::observed_generation>({.name = "observedGeneration",
                                              .text = "metadata.generation of the spec it speaks "
                                                      "of.",
                                              .absent = "0",
                                              .minimum = 0}),
      field<&Condition::last_transition_time>({.name = "lastTransitionTime",
                                               .text = "When status last changed.",
                                               .unit = "time, RFC 3339",
                                               .required = true,
                                               .form = Form::kTime,
                                               .max_length = 64}),
  };
  static constexpr Struct kStruct =
      structure<Condition>("Condition", "One aspect of the node, as a condition.", kFields);
  return kStruct;
}

template <>
const Struct& describe<BlockNodeStatus>() {
  static constexpr Field kFields[]{
      field<&BlockNodeStatus::observed_generation>(
          {.name = "observedGeneration",
           .text = "metadata.generation of the spec that this status speaks of.",
           .absent = "0: not looked at yet",
           .minimum = 0}),
      field<&BlockNodeStatus::conditions>(
          {.name = "conditions",
           .text = "Ready, Reconciling and Stalled as everywhere, and the node's own.",
           .absent = "none: not looked at yet",
           .max_items = 64,
           .list_key = "type"}),
      field<&BlockNodeStatus::version>({.name = "version",
                                        .text = "Version of the server that runs.",
                                        .absent = "absent until it has answered",
                                        .source = "serverStatusDetail of the server",
                                        .max_length = 256}),
      field<&BlockNodeStatus::compatibility_version>(
          {.name = "compatibilityVersion",
           .text = "Version of Davit whose form the pod has. Upgrading Davit does not change it, "
                   "and so restarts nothing.",
           .absent = "absent until the pod is made",
           .source = "the StatefulSet's annotation",
           .max_length = 64}),
      field<&BlockNodeStatus::first_block>({.name = "firstBlock",
                                            .text = "First block that the node can give out.",
                                            .unit = "block number",
                                            .absent = "absent while it has no block",
                                            .source = "serverStatus of the server",
                                            .minimum = 0}),
      field<&BlockNodeStatus::last_block>({.name = "lastBlock",
                                           .text = "Last block that the node can give out, as of "
                                                   "asOf.",
                                           .unit = "block number",
                                           .absent = "absent while it has no block",
                                           .source = "serverStatus of the server",
                                           .minimum = 0}),
      field<&BlockNodeStatus::as_of>(
          {.name = "asOf",
           .text = "When firstBlock, lastBlock and the use of the volumes were read. They are "
                   "written at most every 5 minutes; the metrics have them live.",
           .unit = "time, RFC 3339",
           .absent = "absent until they were read",
           .form = Form::kTime,
           .max_length = 64}),
      field<&BlockNodeStatus::endpoint>({.name = "endpoint",
                                         .text = "Where clients and publishers reach the node, as "
                                                 "host:port.",
                                         .absent = "absent until the Service has an address",
                                         .source = "the Service",
                                         .max_length = 320}),
      field<&BlockNodeStatus::node_name>({.name = "nodeName",
                                          .text = "Kubernetes node the pod is on.",
                                          .absent = "absent until it is scheduled",
                                          .source = "the pod's spec.nodeName",
                                          .max_length = 253}),
      field<&BlockNodeStatus::volumes>({.name = "volumes",
                                        .text = "The volumes of the node, with size and use.",
                                        .absent = "none: not looked at yet",
                                        .max_items = 16,
                                        .list_key = "name"}),
      field<&BlockNodeStatus::free_percent>({.name = "free",
                                             .text = "Free space of the fullest volume that holds "
                                                     "data.",
                                             .unit = "percent of its size",
                                             .absent = "absent until the agent has reported",
                                             .source = "the agent in the pod",
                                             .form = Form::kPercent,
                                             .max_length = 8}),
      field<&BlockNodeStatus::restart_count>({.name = "restartCount",
                                              .text = "How often the kubelet has restarted the "
                                                      "server in this pod.",
                                              .absent = "0",
                                              .source = "the pod's container status",
                                              .minimum = 0}),
      field<&BlockNodeStatus::last_error>({.name = "lastError",
                                           .text = "Why the server last ended, or what last went "
                                                   "wrong with it, in plain words.",
                                           .absent = "absent: nothing did",
                                           .max_length = 32768}),
      field<&BlockNodeStatus::config_hash>({.name = "configHash",
                                            .text = "Digest of the configuration that the running "
                                                    "server has read.",
                                            .absent = "absent until it runs",
                                            .source = "the pod's annotation",
                                            .max_length = 128}),
  };
  static constexpr Struct kStruct =
      structure<BlockNodeStatus>("BlockNodeStatus",
                                 "What Davit has found. All of it can be rebuilt from the cluster "
                                 "and from the node itself.",
                                 kFields);
  return kStruct;
}

}  // namespace davit::wire
