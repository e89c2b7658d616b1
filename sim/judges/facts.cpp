#include "sim/judges/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "operands/blocknode/names.hpp"

namespace davit::sim::facts {

namespace {

// Of status: what moves by itself (the design, "Status is cheap").
constexpr std::array<std::string_view, 5> kVolatile{"firstBlock", "lastBlock", "asOf", "free",
                                                    "volumes"};

template <std::size_t N>
bool same_but(const json::object& a, const json::object& b,
              const std::array<std::string_view, N>& ignored) {
  const auto counts = [&](const auto& member) {
    return std::ranges::find(ignored, std::string_view(member.key())) == ignored.end();
  };
  const auto number = [&](const json::object& object) {
    return std::ranges::count_if(object, counts);
  };
  if (number(a) != number(b)) return false;
  return std::ranges::all_of(a, [&](const auto& member) {
    if (!counts(member)) return true;
    const json::value* other = b.if_contains(member.key());
    return other != nullptr && *other == member.value();
  });
}

// The same volumes, but for how much of them is used.
bool same_volumes(const json::object& a, const json::object& b) {
  const json::array* left = wire::find_array(a, "volumes");
  const json::array* right = wire::find_array(b, "volumes");
  if (left == nullptr || right == nullptr) return left == right;
  return std::ranges::equal(*left, *right, [](const json::value& x, const json::value& y) {
    return x.is_object() && y.is_object() &&
           same_but(x.get_object(), y.get_object(), std::array<std::string_view, 1>{"usedPercent"});
  });
}

}  // namespace

std::string name_of(const StoredEvent& event) {
  return fmt::format("{} {}", event.type->plural, event.key.to_string());
}

std::string name_of(const RequestInfo& info) {
  return fmt::format("{} {} {} by {}", info.verb, info.resource, info.key.to_string(), info.user);
}

std::string_view base_resource(const RequestInfo& info) {
  const std::string_view resource = info.resource;
  return resource.substr(0, resource.find('/'));
}

bool is_work(const RequestInfo& info) {
  return info.is_write && info.resource != "leases.coordination.k8s.io" &&
         info.resource != "events.events.k8s.io";
}

unsigned replica_of(std::string_view user) {
  unsigned number = 0;
  if (const auto dash = user.rfind('-'); dash != std::string_view::npos) {
    std::from_chars(user.data() + dash + 1, user.data() + user.size(), number);
  }
  return number;
}

bool succeeded(const RequestSeen& request) {
  return request.response != nullptr && request.response->status < 300;
}

bool failed(const RequestSeen& request) { return !succeeded(request); }

ObjectKey node_key_of(const json::object& child) {
  return {kube::key_of(child).ns, blocknode::label_of(child, blocknode::kNodeLabel)};
}

Object node_of(World& world, const json::object& child) {
  const ObjectKey key = node_key_of(child);
  return key.name.empty() ? nullptr : world.server.find(blocknode::kBlockNodes, key);
}

std::string_view deletion_policy(const json::object& node) {
  return wire::find_string(node, "spec.policies.deletion", "Retain");
}

std::string_view owning_node(const json::object& child) {
  const json::array* owners = wire::find_array(child, "metadata.ownerReferences");
  if (owners == nullptr) return {};
  for (const json::value& value : *owners) {
    const json::object* owner = value.if_object();
    if (owner != nullptr && wire::find_string(*owner, "kind") == blocknode::kBlockNodes.kind) {
      return wire::find_string(*owner, "uid");
    }
  }
  return {};
}

bool is_ready(const json::object& pod) {
  return !kube::is_deleting(pod) && condition(pod, "Ready").status == "True";
}

std::string_view template_of(const json::object& statefulset) {
  const json::object* annotations =
      wire::find_object(statefulset, "spec.template.metadata.annotations");
  const json::value* digest =
      annotations == nullptr ? nullptr : annotations->if_contains(blocknode::kTemplateAnnotation);
  return digest != nullptr && digest->is_string() ? std::string_view(digest->get_string())
                                                  : std::string_view();
}

bool begins_to_go(const StoredEvent& event) {
  if (!event.before || kube::is_deleting(*event.before)) return false;
  return !event.after || kube::is_deleting(*event.after);
}

ConditionWords condition(const json::object& object, std::string_view type) {
  const json::array* conditions = wire::find_array(object, "status.conditions");
  if (conditions == nullptr) return {};
  for (const json::value& value : *conditions) {
    const json::object* found = value.if_object();
    if (found == nullptr || wire::find_string(*found, "type") != type) continue;
    return {wire::find_string(*found, "status"), wire::find_string(*found, "reason"),
            wire::find_string(*found, "message")};
  }
  return {};
}

bool same_conditions(const json::object& a, const json::object& b) {
  const json::array* left = wire::find_array(a, "status.conditions");
  const json::array* right = wire::find_array(b, "status.conditions");
  if (left == nullptr || right == nullptr) return left == right;
  return std::ranges::equal(*left, *right, [](const json::value& x, const json::value& y) {
    if (!x.is_object() || !y.is_object()) return false;
    const json::object& one = x.get_object();
    const json::object& other = y.get_object();
    return wire::find_string(one, "type") == wire::find_string(other, "type") &&
           wire::find_string(one, "status") == wire::find_string(other, "status") &&
           wire::find_string(one, "reason") == wire::find_string(other, "reason");
  });
}

bool only_volatile(const StoredEvent& event) {
  if (!event.before || !event.after) return false;
  const json::object* before = wire::find_object(*event.before, "status");
  const json::object* after = wire::find_object(*event.after, "status");
  if (before == nullptr || after == nullptr) return false;
  return same_volumes(*before, *after) && same_but(*before, *after, kVolatile);
}

bool only_bookkeeping(const json::object& before, const json::object& after) {
  const json::object* one = wire::find_object(before, "metadata");
  const json::object* other = wire::find_object(after, "metadata");
  if (one == nullptr || other == nullptr) return false;
  return same_but(*one, *other,
                  std::array<std::string_view, 2>{"resourceVersion", "managedFields"}) &&
         same_but(before, after, std::array<std::string_view, 1>{"metadata"});
}

}  // namespace davit::sim::facts
