#include "kube/watch_stream.hpp"

namespace davit::kube {

io::Task<Result<std::optional<std::string>>> BodyWatchStream::next(io::Deadline deadline) {
  for (;;) {
    if (auto line = cutter_.next()) {
      if (!*line) co_return fail(std::move(line->error()));
      co_return std::optional<std::string>(std::move(**line));
    }
    auto piece = co_await body_->read(deadline);
    if (!piece) co_return fail(std::move(piece.error()));
    if (piece->empty()) {
      if (cutter_.pending() == 0) co_return std::optional<std::string>();
      co_return fail(Code::kUnavailable, "the watch was cut inside an event");
    }
    cutter_.feed(std::move(*piece));
  }
}

}  // namespace davit::kube
