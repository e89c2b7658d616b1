#include "base/result.hpp"

namespace davit {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::kCancelled:
      return "Cancelled";
    case Code::kInvalid:
      return "Invalid";
    case Code::kNotFound:
      return "NotFound";
    case Code::kAlreadyExists:
      return "AlreadyExists";
    case Code::kConflict:
      return "Conflict";
    case Code::kForbidden:
      return "Forbidden";
    case Code::kUnauthenticated:
      return "Unauthenticated";
    case Code::kGone:
      return "Gone";
    case Code::kTooManyRequests:
      return "TooManyRequests";
    case Code::kDeadlineExceeded:
      return "DeadlineExceeded";
    case Code::kUnavailable:
      return "Unavailable";
    case Code::kUnsupported:
      return "Unsupported";
    case Code::kInternal:
      return "Internal";
  }
  return "Internal";
}

std::string_view Error::reason() const { return reason_.empty() ? to_string(code_) : reason_; }

std::string Error::describe() const {
  std::string text = message_;
  for (const Error* cause = cause_.get(); cause != nullptr; cause = cause->cause()) {
    text += ": ";
    text += cause->message();
  }
  return text;
}

bool Error::is_transient() const {
  switch (code_) {
    case Code::kConflict:
    case Code::kTooManyRequests:
    case Code::kDeadlineExceeded:
    case Code::kUnavailable:
      return true;
    default:
      return false;
  }
}

Error Error::because(std::string message) && {
  Error outer(code_, std::move(message));
  outer.reason_ = reason_;
  outer.retry_after_ = retry_after_;
  outer.cause_ = std::make_shared<const Error>(std::move(*this));
  return outer;
}

Error Error::with_reason(std::string reason) && {
  reason_ = std::move(reason);
  return std::move(*this);
}

Error Error::with_retry_after(std::chrono::milliseconds hint) && {
  retry_after_ = hint;
  return std::move(*this);
}

}  // namespace davit
