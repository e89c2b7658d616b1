#include "sim/controllers/workload.hpp"

#include <charconv>

#include "sim/controllers/objects.hpp"
#include "wire/time.hpp"

namespace davit::sim {

ObjectKey controller_key(const json::object& object, std::string_view kind) {
  ObjectKey key;
  for_each_object(object, "metadata.ownerReferences", [&](const json::object& owner) {
    if (!wire::find_bool(owner, "controller", false)) return;
    if (wire::find_string(owner, "kind") != kind) return;
    key = {kube::key_of(object).ns, std::string(wire::find_string(owner, "name"))};
  });
  return key;
}

std::vector<Object> pods_of(Hub& hub, const json::object& owner) {
  const Uid uid = kube::uid_of(owner);
  const std::string ns = kube::key_of(owner).ns;
  const json::object* selector = wire::find_object(owner, "spec.selector");
  if (selector && !kube::is_deleting(owner)) {
    const PodIndex::Keys orphans = hub.pod_index.of_controller({});
    for (auto key = orphans.lower_bound({ns, ""}); key != orphans.end() && key->ns == ns; ++key) {
      const Object orphan = hub.pod(*key);
      if (!orphan || kube::is_deleting(*orphan) || is_finished(*orphan) ||
          !label_selector_matches(*selector, *orphan)) {
        continue;
      }
      hub.write(hub.pods, orphan, "", "kube-controller-manager", [&](json::object& pod) {
        json::value& owners = wire::ensure_object(pod, "metadata")["ownerReferences"];
        if (!owners.is_array()) owners.emplace_array();
        owners.as_array().push_back(controller_reference(owner));
      });
    }
  }
  std::vector<Object> pods;
  for (const ObjectKey& key : hub.pod_index.of_controller(uid)) {
    if (Object pod = hub.pod(key)) pods.push_back(std::move(pod));
  }
  return pods;
}

json::object pod_from_template(const json::object& owner) {
  json::object pod;
  if (const json::object* made = wire::find_object(owner, "spec.template")) pod = *made;
  json::object& metadata = wire::ensure_object(pod, "metadata");
  metadata["namespace"] = kube::key_of(owner).ns;
  metadata["ownerReferences"] = json::array{controller_reference(owner)};
  return pod;
}

std::string revision_hash(const json::value& value) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : wire::canonical(value)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  std::string text;
  for (int i = 0; i < 10; ++i) {
    text += "bcdfghjklmnpqrstvwxz2456789"[hash % 27];
    hash /= 27;
  }
  return text;
}

std::optional<WallTime> available_at(const json::object& pod, std::int64_t min_ready_seconds) {
  const json::object* ready = condition_of(pod, "Ready");
  if (!ready || wire::find_string(*ready, "status") != "True") return std::nullopt;
  const auto since = wire::parse_time(wire::find_string(*ready, "lastTransitionTime"));
  return (since ? *since : WallTime()) + std::chrono::seconds(min_ready_seconds);
}

std::int64_t scaled(const json::value* value, std::int64_t total, bool round_up,
                    std::int64_t fallback) {
  if (!value) return fallback;
  if (value->is_number()) return value->to_number<std::int64_t>();
  const json::string* text = value->if_string();
  if (!text) return fallback;
  std::int64_t percent = 0;
  std::from_chars(text->data(), text->data() + text->size(), percent);
  return (total * percent + (round_up ? 99 : 0)) / 100;
}

void set_count(json::object& status, std::string_view name, std::int64_t count) {
  if (count == 0) {
    status.erase(name);
  } else {
    status[name] = count;
  }
}

void write_status(const Hub& hub, const ResourceType& type, const json::object& object,
                  json::object status) {
  const Object live = hub.store.get(type, kube::key_of(object));
  if (!live || kube::uid_of(*live) != kube::uid_of(object)) return;
  const json::object* there = wire::find_object(*live, "status");
  if (there && *there == status) return;
  hub.write(type, live, "status", "kube-controller-manager",
            [&](json::object& changed) { changed["status"] = std::move(status); });
}

}  // namespace davit::sim
