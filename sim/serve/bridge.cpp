#include "sim/serve/bridge.hpp"

namespace davit::sim {

namespace {

class BridgedBody final : public io::BodyStream {
 public:
  BridgedBody(io::Loop& there, io::Loop& here, Wake wake, std::unique_ptr<io::BodyStream> inner,
              io::Deadline end)
      : there_(&there), here_(&here), wake_(std::move(wake)), inner_(std::move(inner)), end_(end) {}

  io::Task<Result<std::string>> read(io::Deadline deadline) override {
    auto piece = co_await io::with_deadline(
        *here_, deadline.earlier(end_),
        run_on(*there_, *here_, wake_, inner_->read(io::Deadline::never())), "the watch");
    const bool late = !piece && piece.error().code() == Code::kDeadlineExceeded;
    if (late && here_->now() >= end_.at) co_return std::string();
    co_return piece;
  }

 private:
  io::Loop* there_;
  io::Loop* here_;
  Wake wake_;
  std::unique_ptr<io::BodyStream> inner_;
  io::Deadline end_;
};

}  // namespace

std::unique_ptr<io::BodyStream> bridge_body(io::Loop& there, io::Loop& here, Wake wake,
                                            std::unique_ptr<io::BodyStream> inner,
                                            io::Deadline end) {
  return std::make_unique<BridgedBody>(there, here, std::move(wake), std::move(inner), end);
}

}  // namespace davit::sim
