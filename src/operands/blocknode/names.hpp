// Names and labels of what Davit creates for a BlockNode: all of them a function of its key and
// spec.
//
// Nothing is generated at random: after the loss of everything but the claims, a BlockNode of the
// same name finds them again. Pure; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "operands/blocknode/layout.hpp"
#include "operands/blocknode/types.hpp"

namespace davit::blocknode {

inline constexpr std::string_view kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManagedByDavit = "davit";
// Selects what Davit's informers watch.
inline constexpr std::string_view kManagedSelector = "app.kubernetes.io/managed-by=davit";
inline constexpr std::string_view kNodeLabel = "davit.hiero.org/blocknode";  // the BlockNode's name
inline constexpr std::string_view kGroupLabel = "davit.hiero.org/disruption-group";
inline constexpr std::string_view kVolumeLabel = "davit.hiero.org/volume";  // "live"

// Annotations.
inline constexpr std::string_view kNetworkAnnotation = "davit.hiero.org/network";  // on claims
// On the StatefulSet and its pod: what rule 8 (upgrading Davit restarts nothing) pins.
inline constexpr std::string_view kCompatibilityAnnotation =
    "davit.hiero.org/compatibility-version";
inline constexpr std::string_view kDavitImageAnnotation = "davit.hiero.org/davit-image";
// On the pod template: digest of the whole template, of the configuration, and the server's
// version.
inline constexpr std::string_view kTemplateAnnotation = "davit.hiero.org/template";
inline constexpr std::string_view kConfigAnnotation = "davit.hiero.org/config";
inline constexpr std::string_view kVersionAnnotation = "davit.hiero.org/version";
// On persistent volumes: the reclaim policy before Davit set Retain.
inline constexpr std::string_view kReclaimAnnotation = "davit.hiero.org/reclaim-policy-before";

[[nodiscard]] std::string statefulset_name(const ObjectKey& node);
[[nodiscard]] std::string pod_name(const ObjectKey& node);       // "<name>-0"
[[nodiscard]] std::string service_name(const ObjectKey& node);   // what clients use
[[nodiscard]] std::string headless_name(const ObjectKey& node);  // "<name>-headless"
[[nodiscard]] std::string configmap_name(const ObjectKey& node);
[[nodiscard]] std::string files_name(const ObjectKey& node);  // ConfigMap of mounted files
[[nodiscard]] std::string serviceaccount_name(const ObjectKey& node);
[[nodiscard]] std::string claim_name(const ObjectKey& node, const VolumeLayout& volume);
[[nodiscard]] std::string disruption_budget_name(std::string_view group);

// spec.disruptionGroup, by default "<network>-tier<n>"; always a valid label value.
[[nodiscard]] std::string disruption_group(const BlockNodeSpec& spec);

// Of every child: name, instance, managed-by, part-of and the node's label.
[[nodiscard]] std::map<std::string, std::string> child_labels(const ObjectKey& node);
// What selects the node's one pod; never changes, since StatefulSet selectors are immutable.
[[nodiscard]] std::map<std::string, std::string> pod_selector(const ObjectKey& node);

// Text as a label value: unchanged when it is one, else cleaned and made unique by a digest.
[[nodiscard]] std::string as_label_value(std::string_view text);
// Why no children can be named after this node (Services start with a letter, pod labels hold at
// most 63 characters); nullopt: they can.
[[nodiscard]] std::optional<std::string> name_problem(const ObjectKey& node);

}  // namespace davit::blocknode
