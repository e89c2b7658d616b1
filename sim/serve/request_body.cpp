#include "sim/serve/request_body.hpp"

#include <fmt/format.h>

#include "sim/serve/accept.hpp"
#include "sim/verbs.hpp"
#include "wire/yaml.hpp"

namespace davit::sim {

namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kYaml = "application/yaml";
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

io::HttpResponse unsupported(std::string why) {
  return reply(not_served(415, "UnsupportedMediaType", std::move(why)).error());
}

void set_json(io::HttpRequest& request, const json::value& body) {
  request.body = json::serialize(body);
  std::erase_if(request.headers,
                [](const auto& one) { return io::find_header({one}, "Content-Type").has_value(); });
  request.headers.emplace_back("Content-Type", kJson);
}

}  // namespace

std::optional<io::HttpResponse> normalise_body(io::HttpRequest& request,
                                               std::optional<Messages>& messages) {
  if (request.body.empty() || request.method == "PATCH") return std::nullopt;
  const auto header = io::find_header(request.headers, "Content-Type");
  const std::vector<MediaType> types = parse_accept(header.value_or(std::string(kJson)));
  const std::string type = types.empty() ? std::string(kJson) : types.front().type;
  if (type == kJson) return std::nullopt;
  if (type == kYaml) {
    auto documents = wire::parse_yaml(request.body);
    if (!documents || documents->size() != 1) {
      return reply(bad_request("the body cannot be read as one YAML document").error());
    }
    set_json(request, documents->front());
    return std::nullopt;
  }
  if (type != kProtobuf) {
    return unsupported(
        fmt::format("the body of the request was in an unknown format - accepted media types "
                    "include: {}, {}, {}",
                    kJson, kYaml, kProtobuf));
  }
  if (!messages) messages = Messages::read();
  if (messages->empty()) {
    return unsupported(
        "the simulator cannot read protobuf: its table of messages is missing; run "
        "'testbed/build schemas', or use kubectl create -f and kubectl apply, which send JSON");
  }
  const auto object = messages->decode(request.body);
  if (!object) return reply(bad_request(object.error().message()).error());
  set_json(request, *object);
  return std::nullopt;
}

}  // namespace davit::sim
