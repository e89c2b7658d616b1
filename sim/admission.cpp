#include "sim/admission.hpp"

#include <fmt/format.h>

namespace davit::sim {

ApiError webhook_denied(const std::string& webhook, const std::string& why) {
  const std::string head = fmt::format("admission webhook \"{}\" denied the request", webhook);
  return not_served(why.empty() ? 400 : 403, why.empty() ? "BadRequest" : "Forbidden",
                    why.empty() ? head + " without explanation" : head + ": " + why)
      .error();
}

ApiError webhook_failed(const std::string& webhook, const std::string& why) {
  const std::string message = fmt::format(
      "Internal error occurred: failed calling webhook \"{0}\": failed to call webhook: {1}",
      webhook, why);
  ApiError error = not_served(500, "InternalError", message).error();
  error.causes = {{"", message.substr(sizeof("Internal error occurred: ") - 1), ""}};
  return error;
}

ApiError quota_exceeded(const AdmissionRequest& request, const std::string& quota,
                        const std::string& requested, const std::string& used,
                        const std::string& limited) {
  return forbidden(*request.type, request.key.name,
                   fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", quota,
                               requested, used, limited))
      .error();
}

}  // namespace davit::sim
