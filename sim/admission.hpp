// Admission: what may refuse a write after the server itself found nothing wrong: webhooks, quota,
// policies, as a test or a schedule sets them up.
//
//   server.set_admission([](const AdmissionRequest& r) -> std::optional<ApiError> {
//     if (r.operation == "CREATE" && r.type->kind == "Pod") return webhook_denied("quota", "full");
//     return std::nullopt;
//   });
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sim/api_error.hpp"

namespace davit::sim {

struct AdmissionRequest {
  std::string_view operation;  // "CREATE", "UPDATE", "DELETE", "CONNECT"
  const ResourceType* type = nullptr;
  ObjectKey key;
  std::string_view subresource;
  std::string_view user;                 // of the request; of the cluster's controllers: their own
  const json::object* object = nullptr;  // null at deletion
  const json::object* before = nullptr;  // null at creation
  bool dry_run = false;
};

using Admission = std::function<std::optional<ApiError>(const AdmissionRequest&)>;

// As the real server words it: 403 with a reason, 400 without.
[[nodiscard]] ApiError webhook_denied(const std::string& webhook, const std::string& why);
// The webhook cannot be reached and its failurePolicy is Fail: 500.
[[nodiscard]] ApiError webhook_failed(const std::string& webhook, const std::string& why);
// ResourceQuota: `pods "a" is forbidden: exceeded quota: …`.
[[nodiscard]] ApiError quota_exceeded(const AdmissionRequest& request, const std::string& quota,
                                      const std::string& requested, const std::string& used,
                                      const std::string& limited);

}  // namespace davit::sim
