#include "sim/serve/event_stream.hpp"

namespace davit::sim {

namespace {

class ChangedEvents final : public io::BodyStream {
 public:
  ChangedEvents(std::unique_ptr<io::BodyStream> inner, EventChange change)
      : inner_(std::move(inner)), change_(std::move(change)) {}

  io::Task<Result<std::string>> read(io::Deadline deadline) override {
    while (true) {
      Result<std::string> piece = co_await inner_->read(deadline);
      if (!piece || piece->empty()) co_return piece;
      buffer_ += *piece;
      std::string out;
      std::size_t start = 0;
      for (std::size_t end; (end = buffer_.find('\n', start)) != std::string::npos;
           start = end + 1) {
        out += changed(std::string_view(buffer_).substr(start, end - start));
      }
      buffer_.erase(0, start);
      if (!out.empty()) co_return out;
    }
  }

 private:
  std::string changed(std::string_view line) {
    auto event = wire::parse_json_object(line);
    json::value* object = event ? event->if_contains("object") : nullptr;
    if (!object || !object->is_object()) return std::string(line) + "\n";
    const std::string type(wire::find_string(*event, "type"));
    auto result = change_(type, std::move(object->as_object()));
    if (!result) return {};
    *object = std::move(*result);
    return json::serialize(*event) + "\n";
  }

  std::unique_ptr<io::BodyStream> inner_;
  EventChange change_;
  std::string buffer_;
};

}  // namespace

std::unique_ptr<io::BodyStream> change_events(std::unique_ptr<io::BodyStream> inner,
                                              EventChange change) {
  return std::make_unique<ChangedEvents>(std::move(inner), std::move(change));
}

}  // namespace davit::sim
