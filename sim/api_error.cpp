#include "sim/api_error.hpp"

#include <fmt/format.h>

namespace davit::sim {

namespace {

ApiError about(const ResourceType& type, const std::string& name, unsigned code, std::string reason,
               std::string message) {
  ApiError error;
  error.code = code;
  error.reason = std::move(reason);
  error.message = std::move(message);
  error.name = name;
  error.group = type.group;
  error.kind = type.plural;
  return error;
}

}  // namespace

json::object ApiError::status() const {
  json::object body{{"kind", "Status"},
                    {"apiVersion", "v1"},
                    {"metadata", json::object{}},
                    {"status", "Failure"},
                    {"message", message}};
  if (!reason.empty()) body["reason"] = reason;
  json::object details;
  if (!name.empty()) details["name"] = name;
  if (!group.empty()) details["group"] = group;
  if (!kind.empty()) details["kind"] = kind;
  if (!uid.empty()) details["uid"] = uid;
  if (!causes.empty()) {
    json::array list;
    for (const Cause& cause : causes) {
      json::object entry{{"reason", cause.reason}, {"message", cause.message}};
      if (!cause.field.empty()) entry["field"] = cause.field;
      list.push_back(std::move(entry));
    }
    details["causes"] = std::move(list);
  }
  if (retry_after_seconds > 0) details["retryAfterSeconds"] = retry_after_seconds;
  if (has_details || !details.empty()) body["details"] = std::move(details);
  body["code"] = code;
  return body;
}

Refusal not_found(const ResourceType& type, const std::string& name) {
  return Refusal(about(type, name, 404, "NotFound",
                       fmt::format("{} \"{}\" not found", type.qualified(), name)));
}

Refusal already_exists(const ResourceType& type, const std::string& name) {
  return Refusal(about(type, name, 409, "AlreadyExists",
                       fmt::format("{} \"{}\" already exists", type.qualified(), name)));
}

Refusal conflict(const ResourceType& type, const std::string& name, const std::string& why) {
  return Refusal(about(
      type, name, 409, "Conflict",
      fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", type.qualified(), name, why)));
}

Refusal modified(const ResourceType& type, const std::string& name) {
  return conflict(type, name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

Refusal invalid(const ResourceType& type, const std::string& name, std::vector<Cause> causes) {
  std::string list;
  for (const Cause& cause : causes) {
    if (!list.empty()) list += ", ";
    list += cause.field + ": " + cause.message;
  }
  if (causes.size() > 1) list = "[" + list + "]";
  const std::string qualified = type.group.empty() ? type.kind : type.kind + "." + type.group;
  ApiError error = about(type, name, 422, "Invalid",
                         fmt::format("{} \"{}\" is invalid: {}", qualified, name, list));
  error.kind = type.kind;
  error.causes = std::move(causes);
  return Refusal(std::move(error));
}

Refusal version_required(const ResourceType& type, const std::string& name) {
  ResourceType plural;
  plural.group = type.group;
  plural.kind = type.plural;
  return invalid(plural, name,
                 {{"FieldValueInvalid", "Invalid value: 0: must be specified for an update",
                   "metadata.resourceVersion"}});
}

Refusal other_than_wanted(const ResourceType& type, const std::string& name,
                          const std::string& what, const std::string& wanted,
                          const std::string& found) {
  const std::string kind = type.group.empty() ? type.kind : type.kind + "." + type.group;
  ApiError error = about(
      type, name, 409, "Conflict",
      fmt::format("Operation cannot be fulfilled on {} \"{}\": the {} in the precondition ({}) "
                  "does not match the {} in record ({}). The object might have been {}",
                  kind, name, what, wanted, what, found,
                  what == "UID" ? "deleted and then recreated" : "modified"));
  error.kind = type.kind;
  return Refusal(std::move(error));
}

Refusal unreadable_patch(const json::object& patched, const std::string& why) {
  return invalid({}, "",
                 {{"FieldValueInvalid",
                   fmt::format("Invalid value: {}: {}",
                               json::serialize(json::string(json::serialize(patched))), why),
                   "patch"}});
}

Refusal invalid_options(const char* kind, Cause cause) {
  ResourceType options;
  options.group = "meta.k8s.io";
  options.kind = kind;
  return invalid(options, "", {std::move(cause)});
}

Refusal bad_request(std::string message) {
  return not_served(400, "BadRequest", std::move(message));
}

Refusal unreadable_version(std::string_view version) {
  return not_served(500, "",
                    fmt::format("resourceVersion: Invalid value: \"{0}\": strconv.ParseUint: "
                                "parsing \"{0}\": invalid syntax",
                                version));
}

Refusal gone(std::string message) { return not_served(410, "Expired", std::move(message)); }

Refusal forbidden(const ResourceType& type, const std::string& name, std::string why) {
  return Refusal(
      about(type, name, 403, "Forbidden",
            name.empty() ? fmt::format("{} is forbidden: {}", type.qualified(), why)
                         : fmt::format("{} \"{}\" is forbidden: {}", type.qualified(), name, why)));
}

Refusal not_served(unsigned code, std::string reason, std::string message) {
  ApiError error;
  error.code = code;
  error.reason = std::move(reason);
  error.message = std::move(message);
  return Refusal(std::move(error));
}

}  // namespace davit::sim
