#include "kube/lease.hpp"

#include "wire/time.hpp"

namespace davit::kube {

namespace {

Result<WallTime> time_at(const json::object& object, std::string_view path) {
  const std::string_view text = wire::find_string(object, path);
  if (text.empty()) return WallTime();
  auto time = wire::parse_time(text);
  if (!time) return fail(std::move(time.error()).because(std::string(path) + " of a Lease"));
  return time;
}

void set_time(json::object& spec, std::string_view name, WallTime time) {
  if (time == WallTime()) {
    spec.erase(name);
  } else {
    spec[name] = format_micro_time(time);
  }
}

Result<Lease> decoded(Result<json::object> object) {
  if (!object) return fail(std::move(object.error()));
  return decode_lease(std::move(*object));
}

}  // namespace

Result<Lease> decode_lease(json::object object) {
  if (wire::find_string(object, "kind") != kLeases.kind) {
    return fail(Code::kInvalid, "the object is not a Lease");
  }
  auto acquired = time_at(object, "spec.acquireTime");
  if (!acquired) return fail(std::move(acquired.error()));
  auto renewed = time_at(object, "spec.renewTime");
  if (!renewed) return fail(std::move(renewed.error()));
  Lease lease;
  lease.key = key_of(object);
  lease.version = version_of(object);
  lease.holder = wire::find_string(object, "spec.holderIdentity");
  lease.duration =
      std::chrono::seconds(wire::find_int(object, "spec.leaseDurationSeconds").value_or(0));
  lease.acquired = *acquired;
  lease.renewed = *renewed;
  lease.transitions = wire::find_int(object, "spec.leaseTransitions").value_or(0);
  lease.object = std::move(object);
  return lease;
}

json::object encode_lease(const Lease& lease) {
  json::object object = lease.object;
  object["apiVersion"] = kLeases.api_version();
  object["kind"] = kLeases.kind;
  json::object& metadata = wire::ensure_object(object, "metadata");
  metadata["namespace"] = lease.key.ns;
  metadata["name"] = lease.key.name;
  metadata.erase("managedFields");
  if (lease.version.empty()) {
    metadata.erase("resourceVersion");
  } else {
    metadata["resourceVersion"] = lease.version.value;
  }
  json::object& spec = wire::ensure_object(object, "spec");
  spec["holderIdentity"] = lease.holder;
  spec["leaseDurationSeconds"] = lease.duration.count();
  spec["leaseTransitions"] = lease.transitions;
  set_time(spec, "acquireTime", lease.acquired);
  set_time(spec, "renewTime", lease.renewed);
  return object;
}

io::Task<Result<Lease>> Leases::read(ObjectKey key) {
  co_return decoded(co_await client_->get(kLeases, std::move(key)));
}

io::Task<Result<Lease>> Leases::create(Lease lease) {
  lease.version = {};
  co_return decoded(co_await client_->create(kLeases, encode_lease(lease), manager_));
}

io::Task<Result<Lease>> Leases::replace(Lease lease) {
  if (lease.version.empty()) {
    co_return fail(Code::kInvalid, "a Lease is replaced only as it was read");
  }
  co_return decoded(co_await client_->replace(kLeases, encode_lease(lease), manager_));
}

}  // namespace davit::kube
