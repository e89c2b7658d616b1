#include "operands/blocknode/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "operands/blocknode/digest.hpp"

namespace davit::blocknode {

namespace {

constexpr std::size_t kLabelLimit = 63;
// The label controller-revision-hash of a StatefulSet's pod is "<name>-<10 characters>".
constexpr std::size_t kNameLimit = kLabelLimit - 11;

bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool is_label_value(std::string_view text) {
  if (text.empty() || text.size() > kLabelLimit) return false;
  if (!is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  return std::ranges::all_of(
      text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

// Lower case, with '-' for everything else: a segment of a DNS name; unique by the digest.
std::string as_dns_name(std::string_view text, std::size_t limit) {
  std::string out;
  bool changed = text.size() > limit;
  for (const char c : text.substr(0, limit)) {
    const bool fits = std::islower(static_cast<unsigned char>(c)) != 0 ||
                      std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-';
    changed = changed || !fits;
    out += fits ? c : is_alphanumeric(c) ? static_cast<char>(std::tolower(c)) : '-';
  }
  while (!out.empty() && out.back() == '-') {
    out.pop_back();
    changed = true;
  }
  return changed ? fmt::format("{}-{}", out, digest(text, 8)) : out;
}

}  // namespace

std::string statefulset_name(const ObjectKey& node) { return node.name; }
std::string pod_name(const ObjectKey& node) { return node.name + "-0"; }
std::string service_name(const ObjectKey& node) { return node.name; }
std::string headless_name(const ObjectKey& node) { return node.name + "-headless"; }
std::string configmap_name(const ObjectKey& node) { return node.name + "-config"; }
std::string files_name(const ObjectKey& node) { return node.name + "-files"; }
std::string serviceaccount_name(const ObjectKey& node) { return node.name; }

std::string claim_name(const ObjectKey& node, const VolumeLayout& volume) {
  return fmt::format("{}-{}", node.name, volume.suffix);
}

std::string disruption_budget_name(std::string_view group) {
  return "davit-" + as_dns_name(group, 200);
}

std::string disruption_group(const BlockNodeSpec& spec) {
  return as_label_value(
      spec.disruption_group.value_or(fmt::format("{}-tier{}", spec.network.name, spec.tier)));
}

std::map<std::string, std::string> child_labels(const ObjectKey& node) {
  return {{"app.kubernetes.io/name", "block-node"},
          {"app.kubernetes.io/instance", node.name},
          {"app.kubernetes.io/part-of", "hiero"},
          {std::string(kManagedByLabel), std::string(kManagedByDavit)},
          {std::string(kNodeLabel), node.name}};
}

std::map<std::string, std::string> pod_selector(const ObjectKey& node) {
  return {{"app.kubernetes.io/name", "block-node"}, {std::string(kNodeLabel), node.name}};
}

std::string as_label_value(std::string_view text) {
  if (is_label_value(text)) return std::string(text);
  std::string out;
  for (const char c : text.substr(0, kLabelLimit - 9)) out += is_alphanumeric(c) ? c : '-';
  const auto first = std::ranges::find_if(out, is_alphanumeric);
  out.erase(out.begin(), first);
  return out.empty() ? digest(text, 8) : fmt::format("{}-{}", out, digest(text, 8));
}

std::optional<std::string> name_problem(const ObjectKey& node) {
  if (node.name.size() > kNameLimit) {
    return fmt::format(
        "metadata.name has {} characters; at most {} leave room for the names of "
        "its pod and Services",
        node.name.size(), kNameLimit);
  }
  const bool dns_label = std::islower(static_cast<unsigned char>(node.name.front())) != 0 &&
                         node.name.find('.') == std::string::npos;
  if (!dns_label) {
    return fmt::format(
        "metadata.name \"{}\" must start with a letter and hold no dot, because "
        "its Services carry it",
        node.name);
  }
  return std::nullopt;
}

}  // namespace davit::blocknode
