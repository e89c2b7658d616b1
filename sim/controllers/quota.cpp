#include "sim/controllers/quota.hpp"

#include <fmt/format.h>

#include "sim/controllers/objects.hpp"
#include "sim/controllers/workload.hpp"
#include "wire/quantity.hpp"

namespace davit::sim {

namespace {

using wire::Quantity;

const ResourceType* quota_type(const Operations& operations) {
  return operations.registry().find("", "v1", "resourcequotas");
}

Quantity amount_at(const json::object& object, std::string_view path) {
  const json::value* value = wire::find(object, path);
  const auto quantity = value ? Quantity::parse(*value) : fail(Code::kInvalid, "absent");
  return quantity ? *quantity : Quantity();
}

// What one object takes of a resource; nothing when the resource is not about its kind.
Quantity usage(const ResourceType& type, const json::object& object, std::string_view resource) {
  if (resource == "count/" + type.qualified()) return Quantity::units(1);
  if (type.plural == "pods" && type.group.empty()) {
    if (is_finished(object)) return {};
    return resource == "pods" ? Quantity::units(1) : Quantity();
  }
  if (type.plural != "persistentvolumeclaims") {
    return resource == type.plural && type.group.empty() ? Quantity::units(1) : Quantity();
  }
  if (resource == "persistentvolumeclaims") return Quantity::units(1);
  if (resource == "requests.storage") return amount_at(object, "spec.resources.requests.storage");
  // <class>.storageclass.storage.k8s.io/requests.storage
  constexpr std::string_view kOfClass = ".storageclass.storage.k8s.io/";
  const std::size_t cut = resource.find(kOfClass);
  if (cut == std::string_view::npos ||
      resource.substr(0, cut) != wire::find_string(object, "spec.storageClassName")) {
    return {};
  }
  return usage(type, object, resource.substr(cut + kOfClass.size()));
}

Quantity used_in(const Operations& operations, const std::string& ns, std::string_view resource) {
  Quantity sum;
  for (const auto& [type, objects] : operations.store().everything()) {
    if (!type->namespaced) continue;
    for (auto object = objects.lower_bound({ns, ""});
         object != objects.end() && object->first.ns == ns; ++object) {
      const Quantity one = usage(*type, *object->second, resource);
      if (!one.is_zero()) sum = one.plus(sum);
    }
  }
  return sum;
}

}  // namespace

void QuotaController::on_event(const StoredEvent& event) {
  const ResourceType* quotas = type();
  if (!quotas || hub_->store.all(*quotas).empty()) return;
  if (event.type == quotas) {
    if (event.after) queue_.add(event.key);
    return;
  }
  const bool counts =
      !event.before || !event.after || event.type == &hub_->claims || event.type == &hub_->pods;
  if (!counts) return;
  for (const auto& [key, quota] : hub_->store.all(*quotas)) {
    if (key.ns == event.key.ns) queue_.add(key);
  }
}

void QuotaController::resync() {
  if (const ResourceType* quotas = type()) queue_all(*quotas);
}

void QuotaController::sync(const ObjectKey& key) {
  const ResourceType* quotas = type();
  const Object quota = quotas ? hub_->store.get(*quotas, key) : nullptr;
  const json::object* hard = quota ? wire::find_object(*quota, "spec.hard") : nullptr;
  if (!hard) return;
  json::object used;
  for (const auto& [resource, limit] : *hard) {
    used[resource] = used_in(hub_->operations, key.ns, resource).to_string();
  }
  write_status(*hub_, *quotas, *quota, {{"hard", *hard}, {"used", std::move(used)}});
}

Admission quota_admission(Operations& operations) {
  return [&operations](const AdmissionRequest& request) -> std::optional<ApiError> {
    if (!request.object || !request.type->namespaced || !request.subresource.empty()) {
      return std::nullopt;
    }
    const ResourceType* quotas = quota_type(operations);
    if (!quotas || operations.store().all(*quotas).empty()) return std::nullopt;
    for (const auto& [key, quota] : operations.store().all(*quotas)) {
      const json::object* hard = wire::find_object(*quota, "spec.hard");
      if (key.ns != request.key.ns || !hard) continue;
      for (const auto& [name, value] : *hard) {
        const std::string resource(name);
        const auto limit = Quantity::parse(value);
        Quantity more = usage(*request.type, *request.object, resource);
        if (request.before) more = more.minus(usage(*request.type, *request.before, resource));
        if (!limit || more <= Quantity()) continue;
        const Quantity used = used_in(operations, key.ns, resource);
        if (used.plus(more) <= *limit) continue;
        const auto pair = [&](const Quantity& amount) {
          return fmt::format("{}={}", resource, amount.to_string());
        };
        return quota_exceeded(request, key.name, pair(more), pair(used), pair(*limit));
      }
    }
    return std::nullopt;
  };
}

}  // namespace davit::sim
