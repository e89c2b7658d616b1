#include "sim/whole_response.hpp"

#include <utility>

namespace davit::sim {

namespace {

class WholeBody final : public io::BodyStream {
 public:
  explicit WholeBody(std::string body) : body_(std::move(body)) {}
  io::Task<Result<std::string>> read(io::Deadline /*deadline*/) override {
    co_return std::exchange(body_, {});
  }

 private:
  std::string body_;
};

}  // namespace

io::StreamingResponse whole(io::HttpResponse response) {
  return {response.status, std::move(response.headers),
          std::make_unique<WholeBody>(std::move(response.body))};
}

}  // namespace davit::sim
