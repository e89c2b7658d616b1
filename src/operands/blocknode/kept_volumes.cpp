#include "operands/blocknode/kept_volumes.hpp"

#include <fmt/format.h>

#include "wire/quantity.hpp"

namespace davit::blocknode {

std::vector<json::object> kept_for(const std::vector<json::object>& volumes,
                                   const ObjectKey& claim) {
  std::vector<json::object> kept;
  for (const json::object& volume : volumes) {
    const std::string_view phase = wire::find_string(volume, "status.phase");
    const bool free = phase == "Released" || phase == "Available";
    const bool retained =
        wire::find_string(volume, "spec.persistentVolumeReclaimPolicy") == "Retain";
    if (free && retained && !kube::is_deleting(volume) &&
        wire::find_string(volume, "spec.claimRef.namespace") == claim.ns &&
        wire::find_string(volume, "spec.claimRef.name") == claim.name) {
      kept.push_back(volume);
    }
  }
  return kept;
}

io::Task<Result<std::optional<json::object>>> find_kept_volume(kube::Client& client,
                                                               ObjectKey claim) {
  auto volumes = co_await client.list_all(kube::kPersistentVolumes, "");
  if (!volumes) co_return fail(std::move(volumes.error()));
  std::vector<json::object> kept = kept_for(volumes->items, claim);
  if (kept.empty()) co_return std::nullopt;
  if (kept.size() == 1) co_return std::move(kept.front());
  std::string names;
  for (const json::object& volume : kept) {
    names += (names.empty() ? "" : ", ") + kube::key_of(volume).name;
  }
  co_return fail(
      Error(
          Code::kConflict,
          fmt::format("volumes {} were all kept for claim {}. Choose one: set spec.claimRef of the "
                      "others to null, or create the claim by hand with volumeName",
                      names, claim.to_string()))
          .with_reason("ClaimAmbiguous"));
}

io::Task<Status> free_for_claim(kube::Client& client, json::object volume, FieldManager manager) {
  json::object patch{
      {"metadata", json::object{{"resourceVersion", kube::version_of(volume).value}}},
      {"spec",
       json::object{{"claimRef", json::object{{"uid", nullptr}, {"resourceVersion", nullptr}}}}}};
  auto freed = co_await client.patch(kube::kPersistentVolumes, kube::key_of(volume),
                                     kube::PatchType::kMerge, std::move(patch), std::move(manager));
  if (!freed) co_return fail(std::move(freed.error()));
  co_return Status{};
}

void ask_for(json::object& claim, const json::object& volume) {
  json::object& spec = wire::ensure_object(claim, "spec");
  spec["volumeName"] = kube::key_of(volume).name;
  spec["storageClassName"] = wire::find_string(volume, "spec.storageClassName");
  json::object& requests = wire::ensure_object(claim, "spec.resources.requests");
  const auto wanted = wire::Quantity::parse(requests["storage"]);
  const auto capacity = wire::Quantity::parse(wire::find_string(volume, "spec.capacity.storage"));
  if (wanted && capacity && *wanted > *capacity) requests["storage"] = capacity->to_string();
}

}  // namespace davit::blocknode
