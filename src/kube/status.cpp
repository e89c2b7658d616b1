#include "kube/status.hpp"

#include <charconv>
#include <utility>

namespace davit::kube {

namespace {

constexpr std::size_t kMaxExcerpt = 200;
constexpr std::int64_t kMaxRetrySeconds = 3600;

constexpr std::pair<std::string_view, Code> kReasons[] = {
    {"Unauthorized", Code::kUnauthenticated},
    {"Forbidden", Code::kForbidden},
    {"NotFound", Code::kNotFound},
    {"AlreadyExists", Code::kAlreadyExists},
    {"Conflict", Code::kConflict},
    {"Gone", Code::kGone},
    {"Expired", Code::kGone},
    {"Invalid", Code::kInvalid},
    {"BadRequest", Code::kInvalid},
    {"RequestEntityTooLarge", Code::kInvalid},
    {"TooManyRequests", Code::kTooManyRequests},
    {"Timeout", Code::kDeadlineExceeded},
    {"ServerTimeout", Code::kUnavailable},
    {"ServiceUnavailable", Code::kUnavailable},
    {"InternalError", Code::kUnavailable},
    {"StoreReadError", Code::kUnavailable},
    {"MethodNotAllowed", Code::kUnsupported},
    {"NotAcceptable", Code::kUnsupported},
    {"UnsupportedMediaType", Code::kUnsupported},
};

Code code_of_http(unsigned status) {
  switch (status) {
    case 401:
      return Code::kUnauthenticated;
    case 403:
      return Code::kForbidden;
    case 404:
      return Code::kNotFound;
    case 405:
    case 406:
    case 415:
    case 501:
      return Code::kUnsupported;
    case 408:
    case 504:
      return Code::kDeadlineExceeded;
    case 409:
      return Code::kConflict;
    case 410:
      return Code::kGone;
    case 429:
      return Code::kTooManyRequests;
    default:
      return status >= 400 && status < 500 ? Code::kInvalid : Code::kUnavailable;
  }
}

// An apply with a field the schema lacks is answered 500 without a reason (seen on 1.36), but no
// retry will ever mend it.
constexpr std::string_view kUntypedPatch = "failed to create typed patch object";

Code code_of(std::string_view reason, unsigned status, std::string_view message) {
  if (reason.empty() && status == 500 && message.starts_with(kUntypedPatch)) return Code::kInvalid;
  for (const auto& [name, code] : kReasons) {
    if (name == reason) return code;
  }
  return code_of_http(status);
}

std::string excerpt(std::string_view body) {
  std::string text;
  for (const char c : body.substr(0, kMaxExcerpt)) text += c >= 0x20 && c < 0x7f ? c : ' ';
  text.erase(text.find_last_not_of(' ') + 1);
  if (body.size() > kMaxExcerpt) text += "...";
  return text;
}

Error with_retry(Error error, std::int64_t seconds) {
  if (seconds <= 0) return error;
  return std::move(error).with_retry_after(
      std::chrono::seconds(std::min(seconds, kMaxRetrySeconds)));
}

std::int64_t header_seconds(const io::Headers& headers) {
  const auto value = io::find_header(headers, "retry-after");
  std::int64_t seconds = 0;
  if (value) std::from_chars(value->data(), value->data() + value->size(), seconds);
  return seconds;
}

}  // namespace

Error error_of_status(const json::object& status, unsigned http_status) {
  const std::string_view reason = wire::find_string(status, "reason");
  const auto code = wire::find_int(status, "code").value_or(0);
  const unsigned known = code >= 100 && code <= 599 ? static_cast<unsigned>(code) : http_status;
  std::string message(wire::find_string(status, "message"));
  if (message.empty()) {
    message = "the API server answered " + std::to_string(known);
    if (!reason.empty()) message += " " + std::string(reason);
  }
  const Code kind = code_of(reason, known, message);
  Error error(kind, std::move(message));
  if (!reason.empty()) error = std::move(error).with_reason(std::string(reason));
  return with_retry(std::move(error),
                    wire::find_int(status, "details.retryAfterSeconds").value_or(0));
}

Error error_of_response(unsigned status, const io::Headers& headers, std::string_view body) {
  auto object = wire::parse_json_object(body);
  if (object && wire::find_string(*object, "kind") == "Status") {
    Error error = error_of_status(*object, status);
    if (error.retry_after()) return error;
    return with_retry(std::move(error), header_seconds(headers));
  }
  std::string message = "the server answered " + std::to_string(status);
  if (const std::string text = excerpt(body); !text.empty()) message += ": " + text;
  return with_retry(Error(code_of_http(status), std::move(message)), header_seconds(headers));
}

}  // namespace davit::kube
