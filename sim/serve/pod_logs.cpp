// Logs of pods: checked, cut and followed here; what a container says comes from the server's
// set_pod_log.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/serve/gateway.hpp"
#include "sim/verbs.hpp"
#include "sim/whole_response.hpp"

namespace davit::sim {

namespace {

constexpr Duration kFollowInterval = std::chrono::seconds(1);

std::vector<std::string> container_names_of(const json::object& pod) {
  std::vector<std::string> names;
  for (const char* list : {"spec.initContainers", "spec.containers"}) {
    const json::array* containers = wire::find_array(pod, list);
    if (!containers) continue;
    for (const json::value& entry : *containers) {
      names.emplace_back(wire::find_string(entry.as_object(), "name"));
    }
  }
  return names;
}

// The message of a 400, or empty.
std::string check_container(const json::object& pod, std::string_view container) {
  const std::string_view pod_name = wire::find_string(pod, "metadata.name");
  const std::vector<std::string> names = container_names_of(pod);
  if (container.empty() && names.size() > 1) {
    return fmt::format("a container name must be specified for pod {}, choose one of: [{}]",
                       pod_name, fmt::join(names, " "));
  }
  if (!container.empty() && std::ranges::find(names, container) == names.end()) {
    return fmt::format("container {} is not valid for pod {}", container, pod_name);
  }
  return {};
}

std::string last_lines(std::string text, std::string_view parameter) {
  std::size_t wanted = 0;
  const auto [end, error] =
      std::from_chars(parameter.data(), parameter.data() + parameter.size(), wanted);
  if (parameter.empty() || error != std::errc()) return text;
  std::size_t start = text.size();
  for (std::size_t line = 0; line < wanted && start > 0; ++line) {
    const std::size_t before = start < 2 ? std::string::npos : text.rfind('\n', start - 2);
    start = before == std::string::npos ? 0 : before + 1;
  }
  return text.substr(start);
}

// Says what there is, then what is new, until the pod is gone.
class FollowedLog final : public io::BodyStream {
 public:
  FollowedLog(ApiServer& server, io::Loop& loop, io::HttpRequest request, Route route,
              std::string first, std::size_t said)
      : server_(&server),
        loop_(&loop),
        request_(std::move(request)),
        route_(std::move(route)),
        first_(std::move(first)),
        said_(said) {}

  io::Task<Result<std::string>> read(io::Deadline /*deadline*/) override {
    if (!first_.empty()) co_return std::exchange(first_, {});
    while (true) {
      co_await io::sleep_for(*loop_, kFollowInterval);
      if (!server_->find(kube::kPods, route_.key())) co_return std::string();
      auto response = co_await server_->send(request_, io::Deadline::never());
      if (!response || response->status != 200) co_return std::string();
      if (response->body.size() <= said_) continue;
      std::string news = response->body.substr(said_);
      said_ = response->body.size();
      co_return news;
    }
  }

 private:
  ApiServer* server_;
  io::Loop* loop_;
  io::HttpRequest request_;
  Route route_;
  std::string first_;
  std::size_t said_;
};

}  // namespace

io::Task<io::StreamingResponse> Gateway::log(Call call) {
  const Object pod = server_->find(kube::kPods, call.route.key());
  if (!pod) co_return whole(reply(not_found(*call.route.type, call.route.name).error()));
  const std::string wrong = check_container(*pod, call.route.parameter("container"));
  if (!wrong.empty()) co_return whole(reply(bad_request(wrong).error()));
  auto response = co_await server_->send(call.request, io::Deadline::never());
  if (!response) {
    co_return whole(
        reply(not_served(503, "ServiceUnavailable", response.error().message()).error()));
  }
  if (response->status != 200) co_return whole(std::move(*response));
  const std::size_t said = response->body.size();
  response->body = last_lines(std::move(response->body), call.route.parameter("tailLines"));
  if (call.route.parameter("follow") != "true") co_return whole(std::move(*response));
  co_return io::StreamingResponse{
      200, std::move(response->headers),
      std::make_unique<FollowedLog>(*server_, *loop_, std::move(call.request),
                                    std::move(call.route), std::move(response->body), said)};
}

}  // namespace davit::sim
