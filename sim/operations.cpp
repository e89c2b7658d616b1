#include "sim/operations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/merge.hpp"
#include "sim/metadata_rules.hpp"
#include "sim/sameness.hpp"
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

// Goes when a controller says so, whatever its metadata.
bool is_finalised(const ResourceType& type) {
  return type.group.empty() && type.plural == "namespaces";
}

const json::value* member_of(const json::object& object, std::string_view name) {
  const json::value* metadata = object.if_contains("metadata");
  return metadata && metadata->is_object() ? metadata->as_object().if_contains(name) : nullptr;
}

// metadata that only the server writes.
void keep_server_metadata(json::object& object, const json::object& before) {
  json::object& metadata = metadata_of(object);
  for (const std::string_view name : {"uid", "creationTimestamp", "generation", "resourceVersion",
                                      "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    const json::value* old = member_of(before, name);
    if (old) {
      metadata[name] = *old;
    } else {
      metadata.erase(name);
    }
  }
}

void keep_member(json::object& object, const json::object& before, std::string_view name) {
  if (const json::value* old = before.if_contains(name)) {
    object[name] = *old;
  } else {
    object.erase(name);
  }
}

// What a write through this (sub)resource may not touch is as it was. Custom kinds take nothing but
// the status; the strategies of built-in ones let metadata pass, too.
void reset_fields(const ResourceType& type, json::object& object, const json::object& before,
                  const std::string& subresource) {
  if (subresource != "status") {
    if (type.has_status) keep_member(object, before, "status");
    return;
  }
  std::vector<std::string> others;
  for (const auto& [name, value] : object) {
    if (name != "status" && name != "metadata" && !before.contains(name)) others.emplace_back(name);
  }
  for (const std::string& name : others) object.erase(name);
  for (const auto& [name, value] : before) {
    if (name != "status" && name != "metadata") object[name] = value;
  }
  const bool keeps_metadata = type.custom || type.plural == "customresourcedefinitions";
  json::object& metadata = metadata_of(object);
  const json::object& old = *wire::find_object(before, "metadata");
  if (keeps_metadata) {
    json::value fields = metadata["managedFields"];
    metadata = old;
    metadata["managedFields"] = std::move(fields);
  } else if (type.plural == "deployments") {
    keep_member(metadata, old, "labels");
  } else if (type.plural == "pods") {
    keep_member(metadata, old, "ownerReferences");
  }
}

bool specification_changed(const ResourceType& type, const json::object& before,
                           const json::object& after) {
  const auto counts = [&](std::string_view name) {
    return name != "metadata" && !(type.has_status && name == "status");
  };
  const auto notes = [](const json::object& object) {
    const json::object* found = wire::find_object(object, "metadata.annotations");
    return found ? *found : json::object();
  };
  if (type.annotations_count && notes(before) != notes(after)) return true;
  for (const auto& [name, value] : after) {
    if (!counts(name)) continue;
    const json::value* old = before.if_contains(name);
    if (!old || *old != value) return true;
  }
  return std::ranges::any_of(before, [&](const auto& member) {
    return counts(member.key()) && !after.contains(member.key());
  });
}

bool is_number(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
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
    const std::string ns = kube::key_of(live).ns;
    return conflict(type, name,
                    fmt::format("StorageError: invalid object, Code: 4, Key: /registry/{}{}/{}, "
                                "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID "
                                "in precondition: {}, UID in object meta: {}",
                                type.plural, ns.empty() ? "" : "/" + ns, name, uid.value,
                                kube::uid_of(live).value))
        .error();
  }
  const ResourceVersion version = kube::version_of(wanted);
  if (!is_number(version.value)) {
    return not_served(
               500, "",
               fmt::format("strconv.ParseUint: parsing \"{}\": invalid syntax", version.value))
        .error();
  }
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

Writer Operations::writer_of(const ResourceType& type, const WriteOptions& options,
                             const char* operation) const {
  return {options.manager, operation, type.api_version(), options.subresource,
          type.has_status && options.subresource != "status"};
}

std::optional<ApiError> Operations::ask(const AdmissionRequest& request) const {
  for (const Admission& admission : admissions_) {
    if (auto refused = admission(request)) return refused;
  }
  return std::nullopt;
}

Answer<Object> Operations::get(const ResourceType& type, const ObjectKey& key) const {
  Object object = store_->get(type, key);
  if (!object) return not_found(type, key.name);
  return object;
}

std::optional<ApiError> Operations::admit(const ResourceType& type, json::object& object,
                                          const json::object* before,
                                          const WriteOptions& options) const {
  object["apiVersion"] = type.api_version();
  object["kind"] = type.kind;
  const Decoded decoded = decode(*type.shape, object, before);
  if (options.unknown) *options.unknown = decoded.unknown;
  if (!decoded.mistyped.empty() && options.patches) {
    return unreadable_patch(object, decoded.mistyped).error();
  }
  if (!decoded.mistyped.empty() || (options.strict && !decoded.unknown.empty())) {
    std::string why = decoded.mistyped;
    if (why.empty()) {
      for (const std::string& field : decoded.unknown) {
        why += (why.empty() ? "" : ", ") + fmt::format("unknown field \"{}\"", field);
      }
      why = "strict decoding error: " + why;
    }
    return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", type.kind,
                                   type.version, type.kind, why))
        .error();
  }
  if (type.custom) {
    std::vector<Cause> causes = check_metadata(type, object, before);
    std::ranges::move(check(*type.shape, object, before, registry_->rule_judge()),
                      std::back_inserter(causes));
    if (!causes.empty()) {
      return invalid(type, kube::key_of(object).name, std::move(causes)).error();
    }
    return std::nullopt;
  }
  if (type.defaults) type.defaults(object);
  std::vector<Cause> causes = check_metadata(type, object, before);
  if (!causes.empty()) return invalid(type, kube::key_of(object).name, std::move(causes)).error();
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
    return not_served(500, "", "resourceVersion should not be set on objects to be created");
  }
  return insert(type, std::move(object), options, true);
}

Answer<Object> Operations::insert(const ResourceType& type, json::object object,
                                  const WriteOptions& options, bool track) {
  const ObjectKey key = kube::key_of(object);
  if (key.name.empty()) {
    return invalid(type, key.name,
                   {{"FieldValueRequired", "Required value: name or generateName is required",
                     "metadata.name"}});
  }
  if (type.namespaced) {
    const ResourceType& namespaces = *registry_->find(kube::kNamespaces);
    const Object ns = store_->get(namespaces, {"", key.ns});
    if (!ns) return not_found(namespaces, key.ns);
    if (kube::is_deleting(*ns)) {
      ApiError error = forbidden(type, key.name,
                                 fmt::format("unable to create new content in namespace {} because "
                                             "it is being terminated",
                                             key.ns))
                           .error();
      error.causes = {{"NamespaceTerminating",
                       fmt::format("namespace {} is being terminated", key.ns),
                       "metadata.namespace"}};
      return Refusal(std::move(error));
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
  if (auto refused = admit(type, object, nullptr, options)) return Refusal(*refused);
  const std::string now = format_time(clock_->wall());
  metadata_of(object)["uid"] = make_uid();
  metadata_of(object)["creationTimestamp"] = now;
  if (type.has_generation) metadata_of(object)["generation"] = 1;
  if (track) {
    track_update(*type.shape, nullptr, object, writer_of(type, options, "Update"), now);
  }
  if (type.prepare) type.prepare(object, nullptr, now);
  protect(type, object);
  if (auto refused = ask({.operation = "CREATE",
                          .type = &type,
                          .key = key,
                          .object = &object,
                          .dry_run = options.dry_run})) {
    return Refusal(std::move(*refused));
  }
  return finish(type, std::move(object), options.dry_run);
}

// StorageObjectInUseProtection, where nobody else puts the finalizers.
void Operations::protect(const ResourceType& type, json::object& object) const {
  if (!protects_volumes_ || !type.group.empty()) return;
  const bool claim = type.plural == "persistentvolumeclaims";
  if (!claim && type.plural != "persistentvolumes") return;
  json::value& list = metadata_of(object)["finalizers"];
  if (!list.is_array()) list.emplace_array();
  const json::value finalizer(claim ? "kubernetes.io/pvc-protection"
                                    : "kubernetes.io/pv-protection");
  if (std::ranges::find(list.as_array(), finalizer) == list.as_array().end()) {
    list.as_array().push_back(finalizer);
  }
}

Answer<Object> Operations::replace(const ResourceType& type, const ObjectKey& key,
                                   json::object object, const WriteOptions& options,
                                   bool* created) {
  const Object live = store_->get(type, key);
  if (!live && type.creates_on_update && options.subresource.empty() &&
      kube::version_of(object).empty() && kube::key_of(object).name == key.name) {
    metadata_of(object)["namespace"] = key.ns;
    if (created) *created = true;
    return create(type, key.ns, std::move(object), options);
  }
  if (!live) return not_found(type, key.name);
  json::object& metadata = metadata_of(object);
  if (kube::key_of(object).name != key.name) {
    return bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                    kube::key_of(object).name, key.name));
  }
  if (type.namespaced) metadata["namespace"] = key.ns;
  if (auto refused = check_precondition(type, *live, object)) return Refusal(*refused);
  if (type.needs_version && kube::version_of(object).empty()) {
    return version_required(type, key.name);
  }
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
                       fmt::format("Forbidden: no new finalizers can be added if the object is "
                                   "being deleted, found new finalizers []string{{{}}}",
                                   json::serialize(finalizer)),
                       "metadata.finalizers"}});
    }
  }
  if (auto refused = admit(type, object, before.get(), options)) return Refusal(*refused);
  const std::string now = format_time(clock_->wall());
  if (track) {
    track_update(*type.shape, before.get(), object, writer_of(type, options, "Update"), now);
  }
  if (type.prepare) type.prepare(object, before.get(), now);
  if (type.has_generation && options.subresource.empty() &&
      specification_changed(type, *before, object)) {
    metadata_of(object)["generation"] = kube::generation_of(*before) + 1;
  }
  if (same_but_times(*before, object)) return before;
  if (auto refused = ask({.operation = "UPDATE",
                          .type = &type,
                          .key = kube::key_of(object),
                          .subresource = options.subresource,
                          .object = &object,
                          .before = before.get(),
                          .dry_run = options.dry_run})) {
    return Refusal(std::move(*refused));
  }
  const bool ends = kube::is_deleting(object) && !has_finalizers(object) && !is_finalised(type) &&
                    wire::find_int(object, "metadata.deletionGracePeriodSeconds").value_or(0) == 0;
  if (ends && !options.dry_run) {
    // The watchers see it as it was stored; whoever wrote sees what he wrote.
    store_->erase(type, kube::key_of(*before));
    return std::make_shared<const json::object>(std::move(object));
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
  if (kind == PatchKind::kStrategic && type.custom) {
    return not_served(415, "UnsupportedMediaType",
                      "the body of the request was in an unknown format - accepted media types "
                      "include: application/json-patch+json, application/merge-patch+json, "
                      "application/apply-patch+yaml");
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
    result = strategic_merge(*live, patch.as_object(), *type.shape);
  } else {
    result = merge_patch(std::move(result), patch);
  }
  if (!result.is_object()) return bad_request("the patch does not leave an object");
  if (const std::string name = kube::key_of(result.as_object()).name; name != key.name) {
    return bad_request(fmt::format(
        "the name of the object ({}) does not match the name on the URL ({})", name, key.name));
  }
  if (auto refused = check_precondition(type, *live, result.as_object(), OnOtherUid::kInvalid))
    return Refusal(*refused);
  WriteOptions patching = options;
  patching.patches = true;
  return update(type, live, std::move(result.as_object()), patching, true);
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
  const std::string named_ns(wire::find_string(metadata, "namespace"));
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
  } else if (auto refused = check_precondition(type, *live, config, OnOtherUid::kInvalid)) {
    return Refusal(*refused);
  }
  if (options.subresource == "status" && type.custom) {
    json::object only{{"apiVersion", config["apiVersion"]}, {"kind", config["kind"]}};
    only["metadata"] = json::object{{"name", key.name}, {"namespace", key.ns}};
    if (config.contains("status")) only["status"] = config["status"];
    config = std::move(only);
  } else if (options.subresource == "status") {
    config.erase("spec");
  } else if (type.has_status) {
    config.erase("status");
  }
  metadata_of(config).erase("uid");
  metadata_of(config).erase("resourceVersion");
  if (std::string problem = typing_problem(*type.shape, config); !problem.empty()) {
    return not_served(
        500, "",
        fmt::format("failed to create typed patch object ({}/{}; {}/{}, Kind={}): {}", named_ns,
                    key.name, type.group, type.version, type.kind, problem));
  }
  auto merged = sim::apply(*type.shape, live.get(), config, writer_of(type, options, "Apply"),
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
  if (!options.uid.empty() && options.uid != kube::uid_of(*live).value) {
    return other_than_wanted(type, key.name, "UID", options.uid, kube::uid_of(*live).value);
  }
  if (!options.version.empty() && options.version != kube::version_of(*live).value) {
    return other_than_wanted(type, key.name, "ResourceVersion", options.version,
                             kube::version_of(*live).value);
  }
  json::object object = *live;
  json::array finalizers;
  if (const json::array* old = wire::find_array(object, "metadata.finalizers")) finalizers = *old;
  const auto want = [&](std::string_view name, bool on) {
    const auto there = std::ranges::find(finalizers, json::value(name));
    if (on && there == finalizers.end()) finalizers.emplace_back(name);
    if (!on && there != finalizers.end()) finalizers.erase(there);
  };
  if (!options.propagation.empty()) {
    want("foregroundDeletion", options.propagation == "Foreground");
    want("orphan", options.propagation == "Orphan");
  } else if (type.orphans &&
             std::ranges::find(finalizers, json::value("foregroundDeletion")) == finalizers.end()) {
    want("orphan", true);
  }
  // A pod that is on a node is ended by its kubelet.
  int grace = 0;
  if (type.graceful && !wire::find_string(object, "spec.nodeName").empty()) {
    grace = options.grace_seconds.value_or(static_cast<int>(
        wire::find_int(object, "spec.terminationGracePeriodSeconds").value_or(30)));
  }
  if (auto refused = ask({.operation = "DELETE",
                          .type = &type,
                          .key = key,
                          .before = live.get(),
                          .dry_run = options.dry_run})) {
    return Refusal(std::move(*refused));
  }
  const bool held = !finalizers.empty() || grace > 0 || is_finalised(type);
  if (options.dry_run) {
    if (gone) *gone = !held;
    return live;
  }
  if (!held && type.graceful) {
    if (gone) *gone = true;
    const Object last = store_->erase(type, key);
    json::object ended = *last;
    metadata_of(ended)["deletionTimestamp"] = format_time(clock_->wall());
    metadata_of(ended)["deletionGracePeriodSeconds"] = 0;
    metadata_of(ended)["generation"] = kube::generation_of(*live) + 1;
    return std::make_shared<const json::object>(std::move(ended));
  }
  if (!held) {
    if (gone) *gone = true;
    return store_->erase(type, key);
  }
  json::object& metadata = metadata_of(object);
  if (!finalizers.empty()) metadata["finalizers"] = std::move(finalizers);
  if (is_finalised(type)) ensure_object(object, "status")["phase"] = "Terminating";
  if (!kube::is_deleting(*live)) {
    metadata["deletionTimestamp"] = format_time(clock_->wall() + std::chrono::seconds(grace));
    if (!is_finalised(type)) metadata["deletionGracePeriodSeconds"] = grace;
    if (type.has_generation) metadata["generation"] = kube::generation_of(*live) + 1;
  } else if (grace < wire::find_int(*live, "metadata.deletionGracePeriodSeconds").value_or(0)) {
    metadata["deletionGracePeriodSeconds"] = grace;
  }
  if (object == *live) return live;
  return store_->put(type, std::move(object));
}

Answer<std::vector<Object>> Operations::remove_all(const ResourceType& type, const ListQuery& query,
                                                   const DeleteOptions& options) {
  auto listing = list(type, query);
  if (!listing) return Refusal(listing.error());
  std::vector<Object> removed;
  for (const Object& object : listing->items) {
    auto one = remove(type, kube::key_of(*object), options);
    if (!one && one.error().code == 404) continue;
    if (!one) return Refusal(one.error());
    removed.push_back(std::move(*one));
  }
  return removed;
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
