#include "sim/controllers/volume_binder.hpp"

#include <algorithm>

#include "sim/controllers/objects.hpp"
#include "wire/quantity.hpp"

namespace davit::sim {

namespace {

using wire::ensure_object;

constexpr std::string_view kProtection = "kubernetes.io/pvc-protection";

bool is_used(const Operations& operations, const ObjectKey& claim) {
  return std::ranges::any_of(objects_of(operations, kube::kPods), [&](const Object& pod) {
    const json::array* volumes = wire::find_array(*pod, "spec.volumes");
    return volumes && kube::key_of(*pod).ns == claim.ns &&
           std::ranges::any_of(*volumes, [&](const json::value& volume) {
             return wire::find_string(volume.as_object(), "persistentVolumeClaim.claimName") ==
                    claim.name;
           });
  });
}

struct Binding {
  Operations& operations;
  const ResourceType& claims = *operations.registry().find(kube::kPersistentVolumeClaims);
  const ResourceType& volumes = *operations.registry().find(kube::kPersistentVolumes);

  [[nodiscard]] Object class_of(const json::object& claim) const {
    const json::value* name = wire::find(claim, "spec.storageClassName");
    if (name && name->is_string()) {
      return object_at(operations, kube::kStorageClasses, {"", std::string(name->as_string())});
    }
    for (const Object& entry : objects_of(operations, kube::kStorageClasses)) {
      const json::object* annotations = wire::find_object(*entry, "metadata.annotations");
      const json::value* standard =
          annotations ? annotations->if_contains("storageclass.kubernetes.io/is-default-class")
                      : nullptr;
      if (standard && *standard == json::value("true")) return entry;
    }
    return nullptr;
  }

  void protect(const json::object& claim) const {
    const ObjectKey key = kube::key_of(claim);
    const json::array* finalizers = wire::find_array(claim, "metadata.finalizers");
    const bool has =
        finalizers && std::ranges::find(*finalizers, json::value(kProtection)) != finalizers->end();
    const bool deleting = kube::is_deleting(claim);
    if (deleting ? !has || is_used(operations, key) : has) return;
    operations.edit(claims, key, "", [&](json::object& object) {
      json::value& list = ensure_object(object, "metadata")["finalizers"];
      if (!list.is_array()) list.emplace_array();
      json::array& names = list.as_array();
      if (deleting) {
        names.erase(std::ranges::find(names, json::value(kProtection)));
      } else {
        names.emplace_back(kProtection);
      }
    });
  }

  std::string make_volume(const json::object& claim, const json::object& storage_class) const {
    const ObjectKey key = kube::key_of(claim);
    const std::string name = "pvc-" + kube::uid_of(claim).value;
    json::object spec{
        {"capacity", *wire::find(claim, "spec.resources.requests")},
        {"accessModes", wire::find_array(claim, "spec.accessModes")
                            ? *wire::find_array(claim, "spec.accessModes")
                            : json::array{"ReadWriteOnce"}},
        {"storageClassName", kube::key_of(storage_class).name},
        {"persistentVolumeReclaimPolicy", wire::find_string(storage_class, "reclaimPolicy")},
        {"claimRef", json::object{{"apiVersion", "v1"},
                                  {"kind", "PersistentVolumeClaim"},
                                  {"namespace", key.ns},
                                  {"name", key.name},
                                  {"uid", kube::uid_of(claim).value}}}};
    (void)operations.create(
        volumes, "", {{"metadata", json::object{{"name", name}}}, {"spec", std::move(spec)}}, {});
    return name;
  }

  // The volume the claim names, if it is free for it.
  [[nodiscard]] bool take(const std::string& name, const json::object& claim) const {
    const Object volume = object_at(operations, kube::kPersistentVolumes, {"", name});
    if (!volume) return false;
    const ObjectKey key = kube::key_of(claim);
    const std::string_view holder = wire::find_string(*volume, "spec.claimRef.uid");
    const std::string_view reserved = wire::find_string(*volume, "spec.claimRef.name");
    if (!holder.empty() ? holder != kube::uid_of(claim).value
                        : !reserved.empty() && reserved != key.name) {
      return false;
    }
    operations.edit(volumes, {"", name}, "", [&](json::object& object) {
      json::object& reference = ensure_object(object, "spec.claimRef");
      reference["namespace"] = key.ns;
      reference["name"] = key.name;
      reference["uid"] = kube::uid_of(claim).value;
    });
    return true;
  }

  void bind(const json::object& claim) const {
    const Object storage_class = class_of(claim);
    std::string volume(wire::find_string(claim, "spec.volumeName"));
    if (volume.empty()) {
      if (!storage_class) return;
      volume = make_volume(claim, *storage_class);
    } else if (!take(volume, claim)) {
      return;
    }
    const ObjectKey key = kube::key_of(claim);
    operations.edit(claims, key, "", [&](json::object& object) {
      json::object& spec = ensure_object(object, "spec");
      spec["volumeName"] = volume;
      if (storage_class && !spec.contains("storageClassName")) {
        spec["storageClassName"] = kube::key_of(*storage_class).name;
      }
    });
    const Object bound = object_at(operations, kube::kPersistentVolumes, {"", volume});
    set_status(key, *wire::find(*bound, "spec.capacity"));
    operations.edit(volumes, {"", volume}, "status", [](json::object& object) {
      ensure_object(object, "status")["phase"] = "Bound";
    });
  }

  void set_status(const ObjectKey& key, const json::value& capacity) const {
    operations.edit(claims, key, "status", [&](json::object& object) {
      json::object& status = ensure_object(object, "status");
      status["phase"] = "Bound";
      status["capacity"] = capacity;
      if (const json::value* modes = wire::find(object, "spec.accessModes")) {
        status["accessModes"] = *modes;
      }
    });
  }

  void grow(const json::object& claim) const {
    const json::value* wanted = wire::find(claim, "spec.resources.requests.storage");
    const json::value* has = wire::find(claim, "status.capacity.storage");
    const auto a = wanted ? wire::Quantity::parse(*wanted) : fail(Code::kInvalid, "");
    const auto b = has ? wire::Quantity::parse(*has) : fail(Code::kInvalid, "");
    if (!a || !b || *a <= *b) return;
    const Object storage_class = class_of(claim);
    if (!storage_class || !wire::find_bool(*storage_class, "allowVolumeExpansion", false)) return;
    const json::value capacity = json::object{{"storage", *wanted}};
    operations.edit(
        volumes, {"", std::string(wire::find_string(claim, "spec.volumeName"))}, "",
        [&](json::object& object) { ensure_object(object, "spec")["capacity"] = capacity; });
    set_status(kube::key_of(claim), capacity);
  }

  void release(const json::object& volume) const {
    const std::string_view uid = wire::find_string(volume, "spec.claimRef.uid");
    const ObjectKey key = kube::key_of(volume);
    if (uid.empty()) {
      if (wire::find_string(volume, "status.phase") == "Bound" ||
          wire::find_string(volume, "status.phase") == "Released") {
        set_phase(key, "Available");
      }
      return;
    }
    const Object claim =
        object_at(operations, kube::kPersistentVolumeClaims,
                  {std::string(wire::find_string(volume, "spec.claimRef.namespace")),
                   std::string(wire::find_string(volume, "spec.claimRef.name"))});
    if (claim && kube::uid_of(*claim).value == uid) return;
    if (wire::find_string(volume, "spec.persistentVolumeReclaimPolicy") == "Delete") {
      (void)operations.remove(volumes, key, {});
    } else {
      set_phase(key, "Released");
    }
  }

  void set_phase(const ObjectKey& key, std::string_view phase) const {
    operations.edit(volumes, key, "status", [&](json::object& object) {
      ensure_object(object, "status")["phase"] = phase;
    });
  }
};

}  // namespace

void VolumeBinder::run(Operations& operations) {
  const Binding binding{operations};
  for (const Object& claim : objects_of(operations, kube::kPersistentVolumeClaims)) {
    binding.protect(*claim);
    if (kube::is_deleting(*claim)) continue;
    if (wire::find_string(*claim, "status.phase") == "Bound") {
      if (provisions) binding.grow(*claim);
    } else if (provisions) {
      binding.bind(*claim);
    }
  }
  for (const Object& volume : objects_of(operations, kube::kPersistentVolumes)) {
    binding.release(*volume);
  }
}

}  // namespace davit::sim
