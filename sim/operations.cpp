#include "sim/operations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/merge.hpp"
#include "sim/schema.hpp"
#include "sim/ssa.hpp"

namespace davit::sim {

namespace {

using wire::ensure_object;

json::object& metadata_of(json::object& object) { return ensure_object(object, "metadata"); }

bool has_finalizers(const json::object& object) {
  const json::array* finalizers = wire::find_array(object, "metadata.finalizers");
  return finalizers && !finalizers->empty();
}

// metadata that only the server writes.
void keep_server_metadata(json::object& object, const json::object& before) {
  json::object& metadata = metadata_of(object);
  for (const std::string_view name : {"uid", "creationTimestamp", "generation", "resourceVersion",
                                      "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    metadata.erase(name);
    if (const json::value* old = wire::find(before, "metadata." + std::string(name))) {
      metadata[name] = *old;
    }
  }
}

void keep_member(json::object& object, const json::object& before, std::string_view name) {
  object.erase(name);
  if (const json::value* old = before.if_contains(name)) object[name] = *old;
}

// What a write through this (sub)resource may not touch is as it was.
void reset_fields(const ResourceType& type, json::object& object, const json::object& before,
                  const std::string& subresource) {
  if (subresource == "status") {
    json::value status = object.contains("status") ? object["status"] : json::value();
    json::value fields = metadata_of(object)["managedFields"];
    object = before;
    object.erase("status");
    if (!status.is_null()) object["status"] = std::move(status);
    metadata_of(object)["managedFields"] = std::move(fields);
  } else if (type.has_status) {
    keep_member(object, before, "status");
  }
}

bool specification_changed(const ResourceType& type, json::object before, json::object after) {
  for (json::object* object : {&before, &after}) {
    object->erase("metadata");
    if (type.has_status) object->erase("status");
  }
  return before != after;
}

bool same_but_times(json::object before, json::object after) {
  for (json::object* object : {&before, &after}) {
    json::object& metadata = metadata_of(*object);
    metadata.erase("resourceVersion");
    if (json::value* fields = metadata.if_contains("managedFields")) {
      if (fields->is_array()) {
        for (json::value& entry : fields->as_array()) entry.as_object().erase("time");
      }
    }
  }
  return before == after;
}

bool is_dns_name(std::string_view name) {
  if (name.empty() || name.size() > 253) return false;
  const auto alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return alnum(name.front()) && alnum(name.back()) &&
         std::ranges::all_of(name, [&](char c) { return alnum(c) || c == '-' || c == '.'; });
}

// RBAC names may hold colons and capitals.
bool is_valid_name(const ResourceType& type, std::string_view name) {
  if (type.group != "rbac.authorization.k8s.io") return is_dns_name(name);
  return !name.empty() && name.find_first_of("/%") == std::string_view::npos;
}

std::optional<ApiError> check_owners(const ResourceType& type, const json::object& object) {
  const json::array* owners = wire::find_array(object, "metadata.ownerReferences");
  if (!owners) return std::nullopt;
  const auto controllers = std::ranges::count_if(*owners, [](const json::value& owner) {
    return owner.is_object() && wire::find_bool(owner.as_object(), "controller", false);
  });
  if (controllers <= 1) return std::nullopt;
  return invalid(type, kube::key_of(object).name,
                 {{"FieldValueInvalid",
                   "Invalid value: Only one reference can have Controller set to true",
                   "metadata.ownerReferences"}})
      .error();
}

enum class OnOtherUid { kConflict, kInvalid };  // replace and delete; patches

std::optional<ApiError> check_precondition(const ResourceType& type, const json::object& live,
                                           const json::object& wanted,
                                           OnOtherUid on_other_uid = OnOtherUid::kConflict) {
  const std::string name = kube::key_of(live).name;
  const Uid uid = kube::uid_of(wanted);
  if (!uid.empty() && uid != kube::uid_of(live) && on_other_uid == OnOtherUid::kInvalid) {
    return invalid(type, name,
                   {{"FieldValueInvalid",
                     fmt::format("Invalid value: \"{}\": field is immutable", uid.value),
                     "metadata.uid"}})
        .error();
  }
  if (!uid.empty() && uid != kube::uid_of(live)) {
    return conflict(type, name,
                    fmt::format("Precondition failed: UID in precondition: {}, UID in object "
                                "meta: {}",
                                uid.value, kube::uid_of(live).value))
        .error();
  }
  const ResourceVersion version = kube::version_of(wanted);
  if (!version.empty() && version != kube::version_of(live)) return modified(type, name).error();
  return std::nullopt;
}

}  // namespace

std::string Operations::make_uid() {
  const std::uint64_t a = random_->next();
  const std::uint64_t b = random_->next();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", a >> 32, (a >> 16) & 0xffff, a & 0xfff,
                     0x8000 | ((b >> 48) & 0x3fff), b & 0xffffffffffff);
}

Answer<Object> Operations::get(const ResourceType& type, const ObjectKey& key) const {
  Object object = store_->get(type, key);
  if (!object) return not_found(type, key.name);
  return object;
}

std::optional<ApiError> Operations::admit(const ResourceType& type, json::object& object,
                                          const json::object* before, bool strict) const {
  object["apiVersion"] = type.api_version();
  object["kind"] = type.kind;
  if (type.custom) {
    const SchemaReport report = apply_schema(type.schema, object);
    const std::string name = kube::key_of(object).name;
    if (strict && !report.unknown.empty()) {
      return bad_request(
                 fmt::format("{} in version \"{}\" cannot be handled as a {}: strict decoding "
                             "error: unknown field \"{}\"",
                             type.kind, type.version, type.kind, report.unknown.front()))
          .error();
    }
    if (!report.causes.empty()) return invalid(type, name, report.causes).error();
  }
  if (type.defaults) type.defaults(object);
  if (auto refused = check_owners(type, object)) return refused;
  return type.validate ? type.validate(type, object, before) : std::nullopt;
}

Object Operations::finish(const ResourceType& type, json::object object, bool dry_run) {
  if (dry_run) return std::make_shared<const json::object>(std::move(object));
  return store_->put(type, std::move(object));
}

Answer<Object> Operations::create(const ResourceType& type, const std::string& ns,
                                  json::object object, const WriteOptions& options) {
  json::object& metadata = metadata_of(object);
  if (type.namespaced) metadata["namespace"] = ns;
  if (kube::key_of(object).name.empty()) {
    const std::string base(wire::find_string(metadata, "generateName"));
    if (!base.empty()) {
      std::string suffix;
      for (int i = 0; i < 5; ++i) {
        suffix += "bcdfghjklmnpqrstvwxz2456789"[random_->below(27)];
      }
      metadata["name"] = base + suffix;
    }
  }
  if (!kube::version_of(object).empty()) {
    return bad_request("resourceVersion should not be set on objects to be created");
  }
  return insert(type, std::move(object), options, true);
}

Answer<Object> Operations::insert(const ResourceType& type, json::object object,
                                  const WriteOptions& options, bool track) {
  const ObjectKey key = kube::key_of(object);
  if (!is_valid_name(type, key.name)) {
    return invalid(type, key.name,
                   {key.name.empty()
                        ? Cause{"FieldValueRequired",
                                "Required value: name or generateName is required", "metadata.name"}
                        : Cause{"FieldValueInvalid",
                                fmt::format("Invalid value: \"{}\": a lowercase RFC 1123 subdomain "
                                            "must consist of lower case alphanumeric characters",
                                            key.name),
                                "metadata.name"}});
  }
  if (type.namespaced) {
    const ResourceType& namespaces = *registry_->find(kube::kNamespaces);
    const Object ns = store_->get(namespaces, {"", key.ns});
    if (!ns) return not_found(namespaces, key.ns);
    if (kube::is_deleting(*ns)) {
      return forbidden(type, key.name,
                       fmt::format("unable to create new content in namespace {} because it is "
                                   "being terminated",
                                   key.ns));
    }
  }
  if (store_->get(type, key)) return already_exists(type, key.name);
  json::object& metadata = metadata_of(object);
  for (const std::string_view name :
       {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}) {
    metadata.erase(name);
  }
  if (track) metadata.erase("managedFields");
  if (type.has_status) object.erase("status");
  if (auto refused = admit(type, object, nullptr, options.strict)) return Refusal(*refused);
  const std::string now = format_time(clock_->wall());
  metadata_of(object)["uid"] = make_uid();
  metadata_of(object)["creationTimestamp"] = now;
  if (type.has_generation) metadata_of(object)["generation"] = 1;
  if (track) {
    track_update(type, nullptr, object, {options.manager, "Update", type.api_version(), ""}, now);
  }
  return finish(type, std::move(object), options.dry_run);
}

Answer<Object> Operations::replace(const ResourceType& type, const ObjectKey& key,
                                   json::object object, const WriteOptions& options) {
  const Object live = store_->get(type, key);
  if (!live) return not_found(type, key.name);
  json::object& metadata = metadata_of(object);
  if (kube::key_of(object).name != key.name) {
    return bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                    kube::key_of(object).name, key.name));
  }
  if (type.namespaced) metadata["namespace"] = key.ns;
  if (type.custom && kube::version_of(object).empty()) {
    return invalid(type, key.name,
                   {{"FieldValueInvalid", "Invalid value: 0x0: must be specified for an update",
                     "metadata.resourceVersion"}});
  }
  if (auto refused = check_precondition(type, *live, object)) return Refusal(*refused);
  return update(type, live, std::move(object), options, true);
}

Answer<Object> Operations::update(const ResourceType& type, const Object& before,
                                  json::object object, const WriteOptions& options, bool track) {
  keep_server_metadata(object, *before);
  reset_fields(type, object, *before, options.subresource);
  if (kube::is_deleting(*before)) {
    // No finalizer may be added to an object that is going.
    const json::array* old = wire::find_array(*before, "metadata.finalizers");
    const json::array* now = wire::find_array(object, "metadata.finalizers");
    for (const json::value& finalizer : now ? *now : json::array()) {
      if (old && std::ranges::find(*old, finalizer) != old->end()) continue;
      return invalid(type, kube::key_of(object).name,
                     {{"FieldValueForbidden",
                       "Forbidden: no new finalizers can be added if the object is being deleted",
                       "metadata.finalizers"}});
    }
  }
  if (auto refused = admit(type, object, before.get(), options.strict)) return Refusal(*refused);
  if (type.has_generation && options.subresource.empty() &&
      specification_changed(type, *before, object)) {
    metadata_of(object)["generation"] = kube::generation_of(*before) + 1;
  }
  if (track) {
    if (const json::value* fields = wire::find(*before, "metadata.managedFields")) {
      metadata_of(object)["managedFields"] = *fields;
    }
    track_update(type, before.get(), object,
                 {options.manager, "Update", type.api_version(), options.subresource},
                 format_time(clock_->wall()));
  }
  if (same_but_times(*before, object)) return before;
  const bool ends = kube::is_deleting(object) && !has_finalizers(object) &&
                    wire::find_int(object, "metadata.deletionGracePeriodSeconds").value_or(0) == 0;
  if (ends && !options.dry_run) {
    store_->put(type, std::move(object));
    return store_->erase(type, kube::key_of(*before));
  }
  return finish(type, std::move(object), options.dry_run);
}

Answer<Object> Operations::patch(const ResourceType& type, const ObjectKey& key, PatchKind kind,
                                 const json::value& patch, const WriteOptions& options,
                                 bool* created) {
  if (kind == PatchKind::kApply) {
    if (!patch.is_object()) return bad_request("an apply configuration must be an object");
    return apply(type, key, patch.as_object(), options, created);
  }
  const Object live = store_->get(type, key);
  if (!live) return not_found(type, key.name);
  json::value result = *live;
  if (kind == PatchKind::kJson) {
    if (!patch.is_array()) return bad_request("a JSON patch must be a list of operations");
    auto patched = json_patch(std::move(result), patch.as_array());
    if (!patched) return Refusal(patched.error());
    result = std::move(*patched);
  } else if (kind == PatchKind::kStrategic) {
    if (type.custom) {
      return not_served(415, "UnsupportedMediaType",
                        "the body of the request was in an unknown format - accepted media types "
                        "include: application/json-patch+json, application/merge-patch+json, "
                        "application/apply-patch+yaml");
    }
    result = strategic_merge(*live, patch.as_object(), type);
  } else {
    result = merge_patch(std::move(result), patch);
  }
  if (!result.is_object()) return bad_request("the patch does not leave an object");
  if (auto refused = check_precondition(type, *live, result.as_object(), OnOtherUid::kInvalid))
    return Refusal(*refused);
  return update(type, live, std::move(result.as_object()), options, true);
}

Answer<Object> Operations::apply(const ResourceType& type, const ObjectKey& key,
                                 json::object config, const WriteOptions& options, bool* created) {
  if (wire::find(config, "metadata.managedFields")) {
    return bad_request("metadata.managedFields must be nil");
  }
  if (wire::find_string(config, "apiVersion") != type.api_version()) {
    return bad_request("the apiVersion of the configuration does not match the path");
  }
  json::object& metadata = metadata_of(config);
  if (!kube::key_of(config).name.empty() && kube::key_of(config).name != key.name) {
    return bad_request("the name of the object does not match the name on the URL");
  }
  metadata["name"] = key.name;
  if (type.namespaced) metadata["namespace"] = key.ns;
  const Object live = store_->get(type, key);
  const Uid uid = kube::uid_of(config);
  if (!live) {
    if (!options.subresource.empty()) return not_found(type, key.name);
    if (!uid.empty()) {
      return conflict(type, key.name,
                      fmt::format("uid mismatch: the provided object specified uid {}, and no "
                                  "existing object was found",
                                  uid.value));
    }
    if (!kube::version_of(config).empty()) return not_found(type, key.name);
  } else if (auto refused = check_precondition(type, *live, config, OnOtherUid::kInvalid)) {
    return Refusal(*refused);
  }
  if (options.subresource == "status") {
    json::object only{{"apiVersion", config["apiVersion"]}, {"kind", config["kind"]}};
    only["metadata"] = json::object{{"name", key.name}, {"namespace", key.ns}};
    if (config.contains("status")) only["status"] = config["status"];
    config = std::move(only);
  } else if (type.has_status) {
    config.erase("status");
  }
  metadata_of(config).erase("uid");
  metadata_of(config).erase("resourceVersion");
  if (options.strict && type.custom) {
    json::object copy = config;
    const SchemaReport report = apply_schema(type.schema, copy);
    if (!report.unknown.empty()) {
      return bad_request("strict decoding error: unknown field \"" + report.unknown.front() + "\"");
    }
  }
  auto merged = sim::apply(type, live.get(), config,
                           {options.manager, "Apply", type.api_version(), options.subresource},
                           options.force, format_time(clock_->wall()));
  if (!merged) return Refusal(merged.error());
  if (live) return update(type, live, std::move(*merged), options, false);
  if (created) *created = true;
  return insert(type, std::move(*merged), options, false);
}

Answer<Object> Operations::remove(const ResourceType& type, const ObjectKey& key,
                                  const DeleteOptions& options, bool* gone) {
  const Object live = store_->get(type, key);
  if (!live) return not_found(type, key.name);
  json::object wanted{{"metadata", json::object{}}};
  if (!options.uid.empty()) metadata_of(wanted)["uid"] = options.uid;
  if (!options.version.empty()) metadata_of(wanted)["resourceVersion"] = options.version;
  if (auto refused = check_precondition(type, *live, wanted)) {
    if (!options.version.empty() && refused->message.find("UID") == std::string::npos) {
      return conflict(type, key.name,
                      fmt::format("Precondition failed: ResourceVersion in precondition: {}, "
                                  "ResourceVersion in object meta: {}",
                                  options.version, kube::version_of(*live).value));
    }
    return Refusal(*refused);
  }
  json::object object = *live;
  json::array finalizers;
  if (const json::array* old = wire::find_array(object, "metadata.finalizers")) finalizers = *old;
  const auto want = [&](std::string_view name, bool on) {
    const auto there = std::ranges::find(finalizers, json::value(name));
    if (on && there == finalizers.end()) finalizers.emplace_back(name);
    if (!on && there != finalizers.end()) finalizers.erase(there);
  };
  if (!kube::is_deleting(object)) {
    want("foregroundDeletion", options.propagation == "Foreground");
    want("orphan", options.propagation == "Orphan");
    if (type.plural == "namespaces" && type.group.empty()) want("kubernetes", true);
  }
  // A pod that is on a node is ended by its kubelet.
  int grace = 0;
  if (type.graceful && !wire::find_string(object, "spec.nodeName").empty()) {
    grace = options.grace_seconds.value_or(static_cast<int>(
        wire::find_int(object, "spec.terminationGracePeriodSeconds").value_or(30)));
  }
  if (options.dry_run) return live;
  if (finalizers.empty() && grace == 0) {
    if (gone) *gone = true;
    return store_->erase(type, key);
  }
  json::object& metadata = metadata_of(object);
  if (!finalizers.empty()) metadata["finalizers"] = std::move(finalizers);
  if (!kube::is_deleting(*live)) {
    metadata["deletionTimestamp"] = format_time(clock_->wall() + std::chrono::seconds(grace));
    metadata["deletionGracePeriodSeconds"] = grace;
    if (type.has_generation) metadata["generation"] = kube::generation_of(*live) + 1;
  } else if (grace < wire::find_int(*live, "metadata.deletionGracePeriodSeconds").value_or(0)) {
    metadata["deletionGracePeriodSeconds"] = grace;
  }
  if (object == *live) return live;
  return store_->put(type, std::move(object));
}

bool Operations::edit(const ResourceType& type, const ObjectKey& key,
                      const std::string& subresource,
                      const std::function<void(json::object&)>& change) {
  const Object live = store_->get(type, key);
  if (!live) return false;
  json::object object = *live;
  change(object);
  WriteOptions options;
  options.manager = "kube-controller-manager";
  options.subresource = subresource;
  (void)update(type, live, std::move(object), options, true);
  return true;
}

}  // namespace davit::sim
