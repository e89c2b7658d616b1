#include "sim/controllers/stateful_set.hpp"

#include <fmt/format.h>

#include <charconv>

#include "sim/controllers/objects.hpp"
#include "sim/controllers/workload.hpp"

namespace davit::sim {

namespace {

using wire::ensure_object;

constexpr const char* kManager = "kube-controller-manager";
constexpr const char* kRevisionLabel = "controller-revision-hash";
constexpr std::chrono::seconds kRetry{5};  // after a refusal

std::int64_t ordinal_of(const std::string& pod, const std::string& set) {
  std::int64_t ordinal = -1;
  if (pod.size() <= set.size() + 1 || !pod.starts_with(set)) return -1;
  const char* begin = pod.data() + set.size() + 1;
  const auto [end, error] = std::from_chars(begin, pod.data() + pod.size(), ordinal);
  return error == std::errc() && end == pod.data() + pod.size() ? ordinal : -1;
}

// One pass over one set.
struct Pass {
  Hub& hub;
  const json::object& set;
  const std::map<std::string, json::value>& templates;
  std::string update, current;
  ObjectKey key = kube::key_of(set);
  std::int64_t replicas = wire::find_int(set, "spec.replicas").value_or(1);
  std::int64_t first = wire::find_int(set, "spec.ordinals.start").value_or(0);
  std::int64_t min_ready = wire::find_int(set, "spec.minReadySeconds").value_or(0);
  bool ordered = wire::find_string(set, "spec.podManagementPolicy") != "Parallel";
  WallTime wall = hub.operations.clock().wall();
  std::map<std::int64_t, Object> pods;
  std::optional<Duration> again;
  bool refused = false;

  [[nodiscard]] ObjectKey pod_key(std::int64_t ordinal) const {
    return {key.ns, fmt::format("{}-{}", key.name, ordinal)};
  }
  [[nodiscard]] bool wanted(std::int64_t ordinal) const {
    return ordinal >= first && ordinal < first + replicas;
  }
  [[nodiscard]] std::string claim_name(std::string_view volume, std::int64_t ordinal) const {
    return fmt::format("{}-{}-{}", volume, key.name, ordinal);
  }
  bool is_available(const json::object& pod) {
    const auto at = available_at(pod, min_ready);
    if (!at) return false;
    if (*at <= wall) return true;
    again = *at - wall;
    return false;
  }
  bool is_healthy(const Object& pod) { return !kube::is_deleting(*pod) && is_available(*pod); }

  void make_claims(std::int64_t ordinal, const Object& pod) {
    for_each_object(set, "spec.volumeClaimTemplates", [&](const json::object& made) {
      const ObjectKey claim_key{key.ns, claim_name(kube::key_of(made).name, ordinal)};
      if (const Object there = hub.store.get(hub.claims, claim_key)) {
        return own_claim(there, ordinal, pod);
      }
      json::object claim = made;
      json::object& metadata = ensure_object(claim, "metadata");
      metadata["name"] = claim_key.name;
      if (const json::object* labels = wire::find_object(set, "spec.selector.matchLabels")) {
        for (const auto& [name, value] : *labels) ensure_object(metadata, "labels")[name] = value;
      }
      const json::array owners = claim_owners(ordinal, pod);
      if (!owners.empty()) metadata["ownerReferences"] = owners;
      if (!hub.create(hub.claims, key.ns, std::move(claim))) refused = true;
    });
  }
  // persistentVolumeClaimRetentionPolicy: who takes the claim along.
  [[nodiscard]] json::array claim_owners(std::int64_t ordinal, const Object& pod) const {
    const auto deletes = [&](const char* when) {
      return wire::find_string(set, fmt::format("spec.persistentVolumeClaimRetentionPolicy.{}",
                                                when)) == "Delete";
    };
    if (!wanted(ordinal) && deletes("whenScaled") && pod) {
      return {controller_reference(*pod)};
    }
    if (deletes("whenDeleted")) return {controller_reference(set)};
    return {};
  }
  void own_claim(const Object& claim, std::int64_t ordinal, const Object& pod) const {
    json::array owners;
    for_each_object(*claim, "metadata.ownerReferences", [&](const json::object& owner) {
      const std::string_view kind = wire::find_string(owner, "kind");
      if (kind != "StatefulSet" && kind != "Pod") owners.push_back(owner);
    });
    for (const json::value& owner : claim_owners(ordinal, pod)) owners.push_back(owner);
    const json::array* there = wire::find_array(*claim, "metadata.ownerReferences");
    if (there ? *there == owners : owners.empty()) return;
    hub.write(hub.claims, claim, "", kManager, [&](json::object& object) {
      json::object& metadata = ensure_object(object, "metadata");
      metadata.erase("ownerReferences");
      if (!owners.empty()) metadata["ownerReferences"] = owners;
    });
  }

  void make_pod(std::int64_t ordinal) {
    const json::object* rolling = wire::find_object(set, "spec.updateStrategy.rollingUpdate");
    const std::int64_t partition = rolling ? wire::find_int(*rolling, "partition").value_or(0) : 0;
    const std::string& revision =
        ordinal < first + partition && templates.contains(current) ? current : update;
    make_claims(ordinal, nullptr);
    json::object made = pod_from_template(set);
    if (const auto found = templates.find(revision); found != templates.end()) {
      json::object from = found->second.as_object();
      made["spec"] = std::move(from["spec"]);
      json::object metadata = ensure_object(made, "metadata");
      made["metadata"] = from["metadata"].is_object() ? from["metadata"] : json::object();
      for (const char* name : {"namespace", "ownerReferences"}) {
        ensure_object(made, "metadata")[name] = metadata[name];
      }
    }
    const std::string name = pod_key(ordinal).name;
    json::object& metadata = ensure_object(made, "metadata");
    metadata["name"] = name;
    json::object& labels = ensure_object(metadata, "labels");
    labels[kRevisionLabel] = revision;
    labels["statefulset.kubernetes.io/pod-name"] = name;
    labels["apps.kubernetes.io/pod-index"] = std::to_string(ordinal);
    json::object& spec = ensure_object(made, "spec");
    spec["hostname"] = name;
    spec["subdomain"] = wire::find_string(set, "spec.serviceName");
    mount_claims(spec, ordinal);
    if (!hub.create(hub.pods, key.ns, std::move(made))) refused = true;
  }
  void mount_claims(json::object& spec, std::int64_t ordinal) const {
    json::array volumes;
    for_each_object(set, "spec.volumeClaimTemplates", [&](const json::object& made) {
      const std::string volume = kube::key_of(made).name;
      volumes.push_back(json::object{
          {"name", volume},
          {"persistentVolumeClaim", json::object{{"claimName", claim_name(volume, ordinal)}}}});
    });
    if (volumes.empty()) return;
    const std::size_t from_claims = volumes.size();
    for_each_object(spec, "volumes", [&](const json::object& volume) {
      for (std::size_t i = 0; i < from_claims; ++i) {
        if (volumes[i].as_object()["name"] == *wire::find(volume, "name")) return;
      }
      volumes.push_back(volume);
    });
    spec["volumes"] = std::move(volumes);
  }

  // True: go on to the next ordinal.
  bool settle_pod(std::int64_t ordinal) {
    const auto found = pods.find(ordinal);
    if (found == pods.end()) {
      // A pod of that name that is somebody else's is in the way.
      if (!hub.pod(pod_key(ordinal))) make_pod(ordinal);
      return !ordered;
    }
    const Object& pod = found->second;
    if (is_finished(*pod)) {
      if (!kube::is_deleting(*pod)) (void)hub.remove(hub.pods, *pod);
      return !ordered;
    }
    make_claims(ordinal, pod);
    return !ordered || is_healthy(pod);
  }

  void scale() {
    for (std::int64_t i = first; i < first + replicas; ++i) {
      if (!settle_pod(i)) return;
    }
    for (auto pod = pods.rbegin(); pod != pods.rend(); ++pod) {
      if (wanted(pod->first)) continue;
      make_claims(pod->first, pod->second);
      if (!kube::is_deleting(*pod->second)) (void)hub.remove(hub.pods, *pod->second);
      if (ordered) return;
    }
    update_pods();
  }

  void update_pods() {
    if (wire::find_string(set, "spec.updateStrategy.type") == "OnDelete") return;
    const std::int64_t partition =
        wire::find_int(set, "spec.updateStrategy.rollingUpdate.partition").value_or(0);
    for (std::int64_t i = first + replicas - 1; i >= first + partition; --i) {
      const auto found = pods.find(i);
      if (found == pods.end()) return;
      const json::object& pod = *found->second;
      if (text_of(pod, "labels", kRevisionLabel) != update && !kube::is_deleting(pod)) {
        (void)hub.remove(hub.pods, pod);
        return;
      }
      if (!is_healthy(found->second)) return;
    }
  }

  void report() {
    json::object status;
    if (const json::object* old = wire::find_object(set, "status")) status = *old;
    std::int64_t created = 0, ready = 0, available = 0, on_current = 0, on_update = 0;
    for (const auto& [ordinal, pod] : pods) {
      ++created;
      if (is_ready(*pod) && wire::find_string(*pod, "status.phase") == "Running") {
        ++ready;
        if (is_available(*pod)) ++available;
      }
      if (kube::is_deleting(*pod)) continue;
      const std::string_view revision = text_of(*pod, "labels", kRevisionLabel);
      if (revision == current) ++on_current;
      if (revision == update) ++on_update;
    }
    const bool rolls = wire::find_string(set, "spec.updateStrategy.type") != "OnDelete";
    if (rolls && on_update == created && ready == created && created == replicas) {
      current = update;
      on_current = on_update;
    }
    status["observedGeneration"] = kube::generation_of(set);
    status["replicas"] = created;
    status["availableReplicas"] = available;
    set_count(status, "readyReplicas", ready);
    set_count(status, "currentReplicas", on_current);
    set_count(status, "updatedReplicas", on_update);
    status["currentRevision"] = current;
    status["updateRevision"] = update;
    status["collisionCount"] = 0;
    write_status(hub, hub.stateful_sets, set, std::move(status));
  }
};

}  // namespace

void StatefulSetController::on_event(const StoredEvent& event) {
  if (event.type == &hub_->stateful_sets) {
    queue_.add(event.key);
    if (!event.after) histories_.erase(kube::uid_of(*event.before));
    return;
  }
  if (event.type != &hub_->pods) return;
  for (const Object& pod : {event.before, event.after}) {
    if (!pod) continue;
    const ObjectKey owner = controller_key(*pod, "StatefulSet");
    if (!owner.name.empty()) queue_.add(owner);
    if (!kube::controller_of(*pod).empty() || pod != event.after) continue;
    // An orphan: whose could it be?
    const ObjectStore::Objects& sets = hub_->store.all(hub_->stateful_sets);
    for (auto set = sets.lower_bound({event.key.ns, ""});
         set != sets.end() && set->first.ns == event.key.ns; ++set) {
      queue_.add(set->first);
    }
  }
  // Its name is free again.
  if (event.after) return;
  const std::string& name = event.key.name;
  const std::size_t dash = name.rfind('-');
  const ObjectKey set{event.key.ns, dash == std::string::npos ? "" : name.substr(0, dash)};
  if (hub_->store.get(hub_->stateful_sets, set)) queue_.add(set);
}

void StatefulSetController::sync(const ObjectKey& key) {
  const Object set = hub_->store.get(hub_->stateful_sets, key);
  if (!set) return;
  History& history = histories_[kube::uid_of(*set)];
  if (history.generation != kube::generation_of(*set)) {
    history.generation = kube::generation_of(*set);
    const json::value* pod_template = wire::find(*set, "spec.template");
    if (!pod_template) return;
    history.update = fmt::format("{}-{}", key.name, revision_hash(*pod_template));
    history.templates.try_emplace(history.update, *pod_template);
  }
  Pass pass{
      .hub = *hub_,
      .set = *set,
      .templates = history.templates,
      .update = history.update,
      .current = std::string(wire::find_string(*set, "status.currentRevision", history.update)),
      .pods = {},
      .again = std::nullopt};
  const auto read_pods = [&] {
    pass.pods.clear();
    for (Object& pod : pods_of(*hub_, *set)) {
      const std::int64_t ordinal = ordinal_of(kube::key_of(*pod).name, key.name);
      if (ordinal >= 0) pass.pods.emplace(ordinal, std::move(pod));
    }
  };
  read_pods();
  if (!kube::is_deleting(*set)) {
    pass.scale();
    read_pods();
  }
  pass.report();
  if (pass.again) queue_.add_at(key, now() + *pass.again, Wait::kProgress);
  if (pass.refused) queue_.add_at(key, now() + kRetry, Wait::kPeriodic);
}

}  // namespace davit::sim
