#include "sim/controllers/placement.hpp"

#include <algorithm>
#include <charconv>

#include "sim/controllers/objects.hpp"

namespace davit::sim {

namespace {

bool tolerates(const json::object& toleration, const json::object& taint) {
  const std::string_view effect = wire::find_string(toleration, "effect");
  if (!effect.empty() && effect != wire::find_string(taint, "effect")) return false;
  const std::string_view key = wire::find_string(toleration, "key");
  const bool exists = wire::find_string(toleration, "operator", "Equal") == "Exists";
  if (key.empty()) return exists;
  if (key != wire::find_string(taint, "key")) return false;
  return exists || wire::find_string(toleration, "value") == wire::find_string(taint, "value");
}

bool any_tolerates(const json::array* tolerations, const json::object& taint) {
  return tolerations && std::ranges::any_of(*tolerations, [&](const json::value& entry) {
           return tolerates(entry.as_object(), taint);
         });
}

bool requirement_matches(const json::object& requirement, bool there, std::string_view value) {
  const std::string_view op = wire::find_string(requirement, "operator");
  if (op == "Exists") return there;
  if (op == "DoesNotExist") return !there;
  const json::array* values = wire::find_array(requirement, "values");
  const bool listed = there && values && std::ranges::any_of(*values, [&](const json::value& v) {
                        return v.is_string() && std::string_view(v.as_string()) == value;
                      });
  if (op == "In") return listed;
  if (op == "NotIn") return !listed;
  if (!there || !values || values->size() != 1 || !values->front().is_string()) return false;
  const auto number = [](std::string_view text) {
    std::int64_t n = 0;
    std::from_chars(text.data(), text.data() + text.size(), n);
    return n;
  };
  const std::int64_t have = number(value), bound = number(values->front().as_string());
  return op == "Gt" ? have > bound : op == "Lt" && have < bound;
}

bool term_matches(const json::object& term, const json::object& node) {
  bool matches = term.contains("matchExpressions") || term.contains("matchFields");
  for_each_object(term, "matchExpressions", [&](const json::object& requirement) {
    const std::string_view key = wire::find_string(requirement, "key");
    const json::object* labels = wire::find_object(node, "metadata.labels");
    const bool there = labels && labels->contains(key);
    matches = matches && requirement_matches(requirement, there, text_of(node, "labels", key));
  });
  for_each_object(term, "matchFields", [&](const json::object& requirement) {
    matches = matches && requirement_matches(requirement, true, kube::key_of(node).name);
  });
  return matches;
}

}  // namespace

bool tolerates_taints(const json::object& node, const json::array* tolerations,
                      bool only_no_execute) {
  bool tolerated = true;
  for_each_object(node, "spec.taints", [&](const json::object& taint) {
    const std::string_view effect = wire::find_string(taint, "effect");
    const bool counts = effect == "NoExecute" || (effect == "NoSchedule" && !only_no_execute);
    if (counts && !any_tolerates(tolerations, taint)) tolerated = false;
  });
  return tolerated;
}

bool node_selector_matches(const json::object& selector, const json::object& node) {
  bool any = false;
  for_each_object(selector, "nodeSelectorTerms",
                  [&](const json::object& term) { any = any || term_matches(term, node); });
  return any;
}

bool selects_node(const json::object& pod, const json::object& node) {
  if (const json::object* wanted = wire::find_object(pod, "spec.nodeSelector")) {
    for (const auto& [key, value] : *wanted) {
      const json::object* labels = wire::find_object(node, "metadata.labels");
      const json::value* label = labels ? labels->if_contains(key) : nullptr;
      if (!label || *label != value) return false;
    }
  }
  const json::object* required = wire::find_object(
      pod, "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution");
  return !required || node_selector_matches(*required, node);
}

std::optional<std::int64_t> toleration_seconds(const json::object& taint,
                                               const json::array* tolerations) {
  std::optional<std::int64_t> least;
  for (const json::value& entry : tolerations ? *tolerations : json::array()) {
    const json::object& toleration = entry.as_object();
    if (!tolerates(toleration, taint)) continue;
    const std::int64_t own = wire::find_int(toleration, "tolerationSeconds").value_or(-1);
    if (!least || *least < 0 || (own >= 0 && own < *least)) least = own;
  }
  return least;
}

}  // namespace davit::sim
