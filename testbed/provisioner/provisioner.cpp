#include "testbed/provisioner/provisioner.hpp"

#include <fmt/format.h>

#include "wire/quantity.hpp"

namespace davit::testbed {

namespace {

using runtime::Object;
using runtime::Outcome;

const FieldManager kManager{"davit-testbed-provisioner"};

std::uint64_t bytes_at(const json::object& object, std::string_view path) {
  const auto quantity = wire::Quantity::parse(wire::find_string(object, path));
  return quantity ? static_cast<std::uint64_t>(quantity->value()) : 0;
}

// "64Mi": what users wrote, as they wrote it.
std::string size_text(std::uint64_t bytes) {
  return wire::Quantity::bytes(static_cast<std::int64_t>(bytes)).to_string();
}

json::object volume_object(const json::object& claim, const std::string& name,
                           const std::string& path, const std::string& node,
                           const std::string& reclaim, std::uint64_t bytes) {
  const ObjectKey key = kube::key_of(claim);
  return {
      {"apiVersion", "v1"},
      {"kind", "PersistentVolume"},
      {"metadata",
       {{"name", name}, {"annotations", {{"pv.kubernetes.io/provisioned-by", kProvisioner}}}}},
      {"spec",
       {{"capacity", {{"storage", size_text(bytes)}}},
        {"accessModes", json::array{"ReadWriteOnce"}},
        {"persistentVolumeReclaimPolicy", reclaim},
        {"storageClassName", wire::find_string(claim, "spec.storageClassName")},
        {"claimRef",
         {{"apiVersion", "v1"},
          {"kind", "PersistentVolumeClaim"},
          {"namespace", key.ns},
          {"name", key.name},
          {"uid", kube::uid_of(claim).value}}},
        {"local", {{"path", path}}},
        {"nodeAffinity",
         {{"required",
           {{"nodeSelectorTerms",
             json::array{
                 json::object{{"matchExpressions",
                               json::array{json::object{{"key", "kubernetes.io/hostname"},
                                                        {"operator", "In"},
                                                        {"values", json::array{node}}}}}}}}}}}}}},
  };
}

std::function<void(const ObjectKey&, const Error&)> log_errors(const Logger& log) {
  return [log](const ObjectKey& key, const Error& error) {
    log.warn("cannot serve it yet", {{"object", key}, {"error", error}});
  };
}

}  // namespace

Provisioner::Provisioner(kube::Client& client, Random& random, Metrics& metrics,
                         HostVolumes volumes, std::string node, Logger log)
    : client_(&client),
      volumes_(std::move(volumes)),
      node_(std::move(node)),
      classes_(client, random, kube::kStorageClasses,
               {.projection = {"provisioner", "reclaimPolicy"}}),
      claims_(client, random, kube::kPersistentVolumeClaims, {.projection = {"spec", "status"}}),
      persistent_volumes_(client, random, kube::kPersistentVolumes,
                          {.projection = {"spec", "status"}}),
      claim_controller_(client.loop(), random, metrics,
                        {.name = "claims", .on_error = log_errors(log)},
                        [this](ObjectKey key) { return reconcile_claim(std::move(key)); }),
      volume_controller_(client.loop(), random, metrics,
                         {.name = "volumes", .on_error = log_errors(log)},
                         [this](ObjectKey key) { return reconcile_volume(std::move(key)); }) {
  claim_controller_.watches(claims_);
  claim_controller_.needs(classes_);
  claim_controller_.needs(persistent_volumes_);
  volume_controller_.watches(persistent_volumes_);
}

io::Task<void> Provisioner::run() {
  io::Scope scope(client_->loop());
  scope.spawn(classes_.run());
  scope.spawn(claims_.run());
  scope.spawn(persistent_volumes_.run());
  scope.spawn(claim_controller_.run());
  scope.spawn(volume_controller_.run());
  co_await scope.join();
}

io::Task<Result<Outcome>> Provisioner::reconcile_claim(ObjectKey key) {
  const Object claim = claims_.store().get(key);
  if (!claim || kube::is_deleting(*claim)) co_return Outcome{};
  const std::string class_name(wire::find_string(*claim, "spec.storageClassName"));
  const Object storage_class = classes_.store().get({"", class_name});
  if (!storage_class || wire::find_string(*storage_class, "provisioner") != kProvisioner) {
    co_return Outcome{};
  }
  const std::uint64_t wanted = bytes_at(*claim, "spec.resources.requests.storage");
  const std::string volume_name(wire::find_string(*claim, "spec.volumeName"));
  Status done;
  if (volume_name.empty()) {
    const std::string reclaim(wire::find_string(*storage_class, "reclaimPolicy", "Delete"));
    done = co_await provision(claim, reclaim, wanted);
  } else if (const Object volume = persistent_volumes_.store().get({"", volume_name});
             volume &&
             (bytes_at(*volume, "spec.capacity.storage") < wanted ||
              bytes_at(*claim, "status.capacity.storage") < wanted) &&
             wire::find_string(*claim, "status.phase") == "Bound") {
    done = co_await expand(claim, volume, wanted);
  }
  if (!done) co_return fail(std::move(done.error()));
  co_return Outcome{};
}

io::Task<Status> Provisioner::provision(Object claim, std::string reclaim, std::uint64_t bytes) {
  const std::string name = "pvc-" + kube::uid_of(*claim).value;
  if (persistent_volumes_.store().get({"", name})) co_return Status{};
  if (Status made = volumes_.ensure(name, bytes); !made) co_return made;
  const auto created = co_await client_->create(
      kube::kPersistentVolumes,
      volume_object(*claim, name, volumes_.mount_of(name), node_, reclaim, bytes), kManager);
  if (!created && created.error().code() != Code::kAlreadyExists) co_return fail(created.error());
  co_return Status{};
}

io::Task<Status> Provisioner::expand(Object claim, Object volume, std::uint64_t bytes) {
  const std::string name = kube::key_of(*volume).name;
  if (Status grown = volumes_.grow(name, bytes); !grown) co_return grown;
  const json::object capacity{{"capacity", {{"storage", size_text(bytes)}}}};
  const auto sized =
      co_await client_->patch(kube::kPersistentVolumes, {"", name}, kube::PatchType::kMerge,
                              {{"spec", capacity}}, kManager);
  if (!sized) co_return fail(sized.error());
  const auto told =
      co_await client_->patch(kube::kPersistentVolumeClaims, kube::key_of(*claim),
                              kube::PatchType::kMerge, {{"status", capacity}}, kManager, "status");
  if (!told) co_return fail(told.error());
  co_return Status{};
}

io::Task<Result<Outcome>> Provisioner::reconcile_volume(ObjectKey key) {
  const Object volume = persistent_volumes_.store().get(key);
  if (!volume || wire::find_string(*volume, "spec.storageClassName").empty()) co_return Outcome{};
  const json::object* annotations = wire::find_object(*volume, "metadata.annotations");
  const json::value* by =
      annotations ? annotations->if_contains("pv.kubernetes.io/provisioned-by") : nullptr;
  if (by == nullptr || !by->is_string() || by->get_string() != kProvisioner) co_return Outcome{};
  const bool released = wire::find_string(*volume, "status.phase") == "Released";
  const bool wanted = wire::find_string(*volume, "spec.persistentVolumeReclaimPolicy") != "Delete";
  if (!released || wanted) {
    // After a restart of the host the image is there but not mounted.
    if (Status mounted = volumes_.ensure(key.name, bytes_at(*volume, "spec.capacity.storage"));
        !mounted) {
      co_return fail(std::move(mounted.error()));
    }
    co_return Outcome{};
  }
  if (Status removed = volumes_.remove(key.name); !removed) {
    co_return fail(std::move(removed.error()));
  }
  const Status gone = co_await client_->remove(kube::kPersistentVolumes, key,
                                               {.preconditions = {.uid = kube::uid_of(*volume)}});
  if (!gone && gone.error().code() != Code::kNotFound) co_return fail(gone.error());
  co_return Outcome{};
}

}  // namespace davit::testbed
