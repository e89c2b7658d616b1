// LineCutter: cuts a stream of pieces into lines; each byte is scanned once and moved a bounded
// number of times, however the pieces fall.
//
//   cutter.feed(piece);
//   while (auto line = cutter.next()) use(*line);   // line: Result<std::string>, without the
//   newline
//
// Any byte but '\n' is content (NUL too); empty lines are skipped. A line longer than the limit is
// kInvalid, and the cutter then stays in that state. A value; one thread.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"

namespace davit::kube {

class LineCutter {
 public:
  static constexpr std::size_t kDefaultLimit = std::size_t{16} << 20;

  explicit LineCutter(std::size_t limit = kDefaultLimit) : limit_(limit) {}

  void feed(std::string piece);
  // nullopt: feed more.
  [[nodiscard]] std::optional<Result<std::string>> next();
  // Bytes of the line that has begun but not ended.
  [[nodiscard]] std::size_t pending() const { return buffer_.size() - begin_; }

 private:
  std::size_t limit_;
  std::string buffer_;
  std::size_t begin_ = 0;    // of the first line not yet handed out
  std::size_t scanned_ = 0;  // no newline in [begin_, scanned_)
};

}  // namespace davit::kube
