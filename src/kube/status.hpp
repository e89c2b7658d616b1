// metav1.Status, the Kubernetes API's failure, as an Error.
//
// The code follows the Status' reason, and the HTTP status where there is none (a proxy's page, an
// empty body). Sources: apimachinery's metav1.StatusReason; API conventions, "Response Status
// Kind". Pure; any thread; takes any bytes: what is not a Status becomes a short printable excerpt.
#pragma once

#include <string_view>

#include "io/http.hpp"
#include "wire/json.hpp"

namespace davit::kube {

// Of an answer whose status is not 2xx. Retry-after: details.retryAfterSeconds, else the header.
[[nodiscard]] Error error_of_response(unsigned status, const io::Headers& headers,
                                      std::string_view body);
// Of a Status object, such as an ERROR event of a watch. Without a code in it, `http_status`
// counts.
[[nodiscard]] Error error_of_status(const json::object& status, unsigned http_status = 0);

}  // namespace davit::kube
