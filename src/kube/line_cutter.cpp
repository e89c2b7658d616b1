#include "kube/line_cutter.hpp"

#include <utility>

namespace davit::kube {

void LineCutter::feed(std::string piece) {
  if (begin_ == buffer_.size()) {
    buffer_ = std::move(piece);
    begin_ = scanned_ = 0;
    return;
  }
  if (begin_ > buffer_.size() / 2) {  // moves fewer bytes than were consumed since the last time
    buffer_.erase(0, begin_);
    scanned_ -= std::exchange(begin_, 0);
  }
  buffer_ += piece;
}

std::optional<Result<std::string>> LineCutter::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n', scanned_);
    const bool complete = end != std::string::npos;
    const std::size_t length = (complete ? end : buffer_.size()) - begin_;
    if (length > limit_) {
      scanned_ = begin_;
      return fail(Code::kInvalid,
                  "a line of the stream is longer than " + std::to_string(limit_) + " bytes");
    }
    if (!complete) {
      scanned_ = buffer_.size();
      return std::nullopt;
    }
    std::string line = buffer_.substr(begin_, length);
    begin_ = scanned_ = end + 1;
    if (!line.empty()) return line;
  }
}

}  // namespace davit::kube
