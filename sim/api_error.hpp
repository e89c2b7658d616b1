// ApiError: a refusal of the API server, and its Status body exactly as the real server shapes it.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "sim/resource_type.hpp"
#include "wire/json.hpp"

namespace davit::sim {

struct Cause {
  std::string reason;
  std::string message;
  std::string field;
};

struct ApiError {
  unsigned code = 500;
  std::string reason;
  std::string message;
  std::string name, group, kind;  // details; kind is the plural, as the server writes it
  std::string uid;
  std::vector<Cause> causes;
  int retry_after_seconds = 0;
  bool has_details = false;  // details are written even when there is nothing in them

  // The metav1.Status object.
  [[nodiscard]] json::object status() const;
};

template <typename T>
using Answer = std::expected<T, ApiError>;
using Refusal = std::unexpected<ApiError>;

[[nodiscard]] Refusal not_found(const ResourceType& type, const std::string& name);
[[nodiscard]] Refusal already_exists(const ResourceType& type, const std::string& name);
[[nodiscard]] Refusal conflict(const ResourceType& type, const std::string& name,
                               const std::string& why);
// The object was changed since the version the request carries.
[[nodiscard]] Refusal modified(const ResourceType& type, const std::string& name);
[[nodiscard]] Refusal invalid(const ResourceType& type, const std::string& name,
                              std::vector<Cause> causes);
// The server's check of versions, which knows resources only: the plural stands for the kind.
[[nodiscard]] Refusal version_required(const ResourceType& type, const std::string& name);
// A precondition of a deletion does not hold: `what` is "UID" or "ResourceVersion".
[[nodiscard]] Refusal other_than_wanted(const ResourceType& type, const std::string& name,
                                        const std::string& what, const std::string& wanted,
                                        const std::string& found);
// What the patch leaves cannot be read as the kind.
[[nodiscard]] Refusal unreadable_patch(const json::object& patched, const std::string& why);
// Options of a request: `kind` is "DeleteOptions", "ListOptions", …
[[nodiscard]] Refusal invalid_options(const char* kind, Cause cause);
[[nodiscard]] Refusal bad_request(std::string message);
[[nodiscard]] Refusal unreadable_version(std::string_view version);
[[nodiscard]] Refusal gone(std::string message);
[[nodiscard]] Refusal forbidden(const ResourceType& type, const std::string& name, std::string why);
[[nodiscard]] Refusal not_served(unsigned code, std::string reason, std::string message);

}  // namespace davit::sim
