// Result<T>: how every fallible function in Davit answers.
//
// A failure is an Error: one of a closed set of codes (what a caller branches on), a reason (one
// CamelCase word for conditions and metrics), a plain sentence, an optional retry hint, and the
// cause that led to it. Exceptions of libraries stop at the module that meets them and become
// Errors there.
//
//   Result<Config> load(std::string_view path);
//   auto config = load(path);
//   if (!config) return fail(std::move(config.error()).because("cannot read the configuration"));
//
// Thread-safe as any value. Never throws, except std::bad_alloc.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace davit {

enum class Code {
  kCancelled,         // we no longer want the answer
  kInvalid,           // the input is wrong; the same input will fail again
  kNotFound,          // 404
  kAlreadyExists,     // 409 AlreadyExists
  kConflict,          // 409 Conflict, a precondition did not hold
  kForbidden,         // 403: RBAC, admission
  kUnauthenticated,   // 401
  kGone,              // 410: the watch window has passed
  kTooManyRequests,   // 429, see retry_after
  kDeadlineExceeded,  // no answer in time; the effect is unknown
  kUnavailable,       // refused, reset, 5xx; the effect may be unknown
  kUnsupported,       // the other side cannot do this
  kInternal,          // a bug of ours
};

// "NotFound", "Conflict", …: stable, used in metrics and logs.
[[nodiscard]] std::string_view to_string(Code code);

class Error {
 public:
  Error(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  [[nodiscard]] Code code() const { return code_; }
  // The reason the other side gave ("AlreadyExists", "Invalid", …); empty: to_string(code()).
  [[nodiscard]] std::string_view reason() const;
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry_after() const {
    return retry_after_;
  }
  [[nodiscard]] const Error* cause() const { return cause_.get(); }

  // "message: cause: cause of the cause", one line.
  [[nodiscard]] std::string describe() const;

  // True when the same request may succeed later without anybody changing anything.
  [[nodiscard]] bool is_transient() const;

  [[nodiscard]] Error because(std::string message) &&;  // wraps: same code, *this becomes the cause
  [[nodiscard]] Error with_reason(std::string reason) &&;
  [[nodiscard]] Error with_retry_after(std::chrono::milliseconds hint) &&;

 private:
  Code code_;
  std::string message_;
  std::string reason_;
  std::optional<std::chrono::milliseconds> retry_after_;
  std::shared_ptr<const Error> cause_;
};

template <typename T = void>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
};

using Status = Result<void>;

[[nodiscard]] inline std::unexpected<Error> fail(Error error) {
  return std::unexpected<Error>(std::move(error));
}
[[nodiscard]] inline std::unexpected<Error> fail(Code code, std::string message) {
  return std::unexpected<Error>(Error(code, std::move(message)));
}

}  // namespace davit
