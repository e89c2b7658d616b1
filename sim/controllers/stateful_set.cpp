#include "sim/controllers/stateful_set.hpp"

#include <fmt/format.h>

#include "sim/controllers/objects.hpp"

namespace davit::sim {

namespace {

using wire::ensure_object;

std::string revision_of(const json::object& set) {
  const json::object* pod_template = wire::find_object(set, "spec.template");
  const std::string text = pod_template ? wire::canonical(*pod_template) : std::string();
  return fmt::format("{}-{:08x}", kube::key_of(set).name,
                     static_cast<std::uint32_t>(std::hash<std::string>{}(text)));
}

std::string_view revision_label(const json::object& pod) {
  const json::object* labels = wire::find_object(pod, "metadata.labels");
  return labels ? wire::find_string(*labels, "controller-revision-hash") : std::string_view();
}

struct Set {
  Operations& operations;
  const json::object& object;
  ObjectKey key = kube::key_of(object);
  std::string revision = revision_of(object);
  std::int64_t replicas = wire::find_int(object, "spec.replicas").value_or(1);

  [[nodiscard]] ObjectKey pod_key(std::int64_t ordinal) const {
    return {key.ns, fmt::format("{}-{}", key.name, ordinal)};
  }
  // The pod of that ordinal if it is ours, or an orphan that can be.
  [[nodiscard]] Object pod(std::int64_t ordinal) const {
    const Object found = object_at(operations, kube::kPods, pod_key(ordinal));
    if (!found) return nullptr;
    const Uid controller = kube::controller_of(*found);
    if (controller == kube::uid_of(object)) return found;
    const json::object* selector = wire::find_object(object, "spec.selector");
    const bool adopt = controller.empty() && !kube::is_deleting(*found) && selector &&
                       label_selector_matches(*selector, *found);
    if (!adopt) return nullptr;
    operations.edit(*operations.registry().find(kube::kPods), pod_key(ordinal), "",
                    [&](json::object& orphan) {
                      ensure_object(orphan, "metadata")["ownerReferences"] =
                          json::array{controller_reference(object)};
                    });
    return object_at(operations, kube::kPods, pod_key(ordinal));
  }

  void make_claims(json::object& pod_spec, std::int64_t ordinal) const {
    const json::array* templates = wire::find_array(object, "spec.volumeClaimTemplates");
    if (!templates) return;
    json::array volumes;
    if (const json::array* there = wire::find_array(pod_spec, "volumes")) volumes = *there;
    for (const json::value& entry : *templates) {
      json::object claim = entry.as_object();
      const std::string volume = kube::key_of(claim).name;
      const std::string name = fmt::format("{}-{}-{}", volume, key.name, ordinal);
      ensure_object(claim, "metadata")["name"] = name;
      (void)operations.create(*operations.registry().find(kube::kPersistentVolumeClaims), key.ns,
                              std::move(claim), {.manager = "kube-controller-manager"});
      volumes.push_back(json::object{{"name", volume},
                                     {"persistentVolumeClaim", json::object{{"claimName", name}}}});
    }
    pod_spec["volumes"] = std::move(volumes);
  }

  void make_pod(std::int64_t ordinal) const {
    json::object made = *wire::find_object(object, "spec.template");
    json::object& metadata = ensure_object(made, "metadata");
    metadata["name"] = pod_key(ordinal).name;
    metadata["namespace"] = key.ns;
    metadata["ownerReferences"] = json::array{controller_reference(object)};
    json::object& labels = ensure_object(metadata, "labels");
    labels["controller-revision-hash"] = revision;
    labels["statefulset.kubernetes.io/pod-name"] = pod_key(ordinal).name;
    labels["apps.kubernetes.io/pod-index"] = std::to_string(ordinal);
    json::object& spec = ensure_object(made, "spec");
    spec["hostname"] = pod_key(ordinal).name;
    spec["subdomain"] = wire::find_string(object, "spec.serviceName");
    make_claims(spec, ordinal);
    (void)operations.create(*operations.registry().find(kube::kPods), key.ns, std::move(made),
                            {.manager = "kube-controller-manager"});
  }

  void remove_pod(const json::object& pod_object) const {
    (void)operations.remove(*operations.registry().find(kube::kPods), kube::key_of(pod_object),
                            {.uid = kube::uid_of(pod_object).value});
  }

  void scale() const {
    const bool ordered = wire::find_string(object, "spec.podManagementPolicy") != "Parallel";
    for (std::int64_t i = 0; i < replicas; ++i) {
      const Object there = pod(i);
      if (!there && !object_at(operations, kube::kPods, pod_key(i))) make_pod(i);
      if (ordered &&
          (!there || kube::is_deleting(*there) || !condition_is(*there, "Ready", "True"))) {
        return;
      }
    }
    for (std::int64_t i = highest(); i >= replicas; --i) {
      const Object surplus = pod(i);
      if (!surplus) continue;
      if (!kube::is_deleting(*surplus)) remove_pod(*surplus);
      if (ordered) return;
    }
    if (wire::find_string(object, "spec.updateStrategy.type") == "OnDelete") return;
    const std::int64_t partition =
        wire::find_int(object, "spec.updateStrategy.rollingUpdate.partition").value_or(0);
    for (std::int64_t i = replicas - 1; i >= partition; --i) {
      const Object old = pod(i);
      if (!old || kube::is_deleting(*old)) return;
      if (revision_label(*old) != revision) return remove_pod(*old);
      if (!condition_is(*old, "Ready", "True")) return;
    }
  }

  [[nodiscard]] std::int64_t highest() const {
    std::int64_t last = replicas - 1;
    while (object_at(operations, kube::kPods, pod_key(last + 1))) ++last;
    return last;
  }

  void report() const {
    std::int64_t count = 0, ready = 0, updated = 0;
    for (std::int64_t i = 0; i <= highest(); ++i) {
      const Object there = pod(i);
      if (!there || kube::is_deleting(*there)) continue;
      ++count;
      if (condition_is(*there, "Ready", "True")) ++ready;
      if (revision_label(*there) == revision) ++updated;
    }
    operations.edit(*operations.registry().find(kube::kStatefulSets), key, "status",
                    [&](json::object& set) {
                      json::object& status = ensure_object(set, "status");
                      status["observedGeneration"] = kube::generation_of(set);
                      status["replicas"] = count;
                      status["readyReplicas"] = ready;
                      status["availableReplicas"] = ready;
                      status["updatedReplicas"] = updated;
                      status["currentReplicas"] = count;
                      status["updateRevision"] = revision;
                      status["collisionCount"] = 0;
                      if (updated == count || !status.contains("currentRevision")) {
                        status["currentRevision"] = revision;
                      }
                    });
  }
};

}  // namespace

void StatefulSetController::run(Operations& operations) {
  for (const Object& object : objects_of(operations, kube::kStatefulSets)) {
    const Set set{operations, *object};
    if (!kube::is_deleting(*object)) set.scale();
    set.report();
  }
}

}  // namespace davit::sim
