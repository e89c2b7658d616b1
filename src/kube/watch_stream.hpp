// BodyWatchStream: a WatchStream over the body of an HTTP answer.
//
// Owns the body. Ends in good order only between lines; a body that ends inside one is
// kUnavailable, and the watcher resumes from its last version. After kDeadlineExceeded it may be
// read again.
#pragma once

#include <memory>

#include "kube/client.hpp"
#include "kube/line_cutter.hpp"

namespace davit::kube {

class BodyWatchStream final : public WatchStream {
 public:
  explicit BodyWatchStream(std::unique_ptr<io::BodyStream> body) : body_(std::move(body)) {}
  io::Task<Result<std::optional<std::string>>> next(io::Deadline deadline) override;

 private:
  std::unique_ptr<io::BodyStream> body_;
  LineCutter cutter_;
};

}  // namespace davit::kube
