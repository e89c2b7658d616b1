// What the gateway answers without asking the server: discovery, OpenAPI, reviews of oneself.
#include "sim/schemas/kubernetes_schemas.hpp"
#include "sim/serve/discovery.hpp"
#include "sim/serve/gateway.hpp"
#include "sim/serve/openapi.hpp"
#include "sim/verbs.hpp"

namespace davit::sim {

namespace {

constexpr std::string_view kOpenApi = "/openapi/v3";

io::HttpResponse not_there() {
  return reply(
      not_served(404, "NotFound", "the server could not find the requested resource").error());
}

// Changes whenever a kind's schema may have: kinds served, and versions of the CRDs.
std::string openapi_stamp(const ApiServer& server) {
  std::size_t hash = server.registry().types().size();
  for (const ResourceType& type : server.registry().types()) {
    const json::object* crd = crd_of(server, type);
    if (!crd) continue;
    const auto version =
        std::hash<std::string_view>{}(wire::find_string(*crd, "metadata.resourceVersion"));
    hash = hash * 31 + version;
  }
  return std::to_string(hash);
}

// Who asks: the one administrator.
std::optional<json::object> review_of_self(std::string_view path) {
  if (path == "/apis/authentication.k8s.io/v1/selfsubjectreviews") {
    return json::object{
        {"kind", "SelfSubjectReview"},
        {"apiVersion", "authentication.k8s.io/v1"},
        {"metadata", json::object{}},
        {"status", json::object{{"userInfo",
                                 json::object{{"username", "system:admin"},
                                              {"groups", json::array{"system:masters",
                                                                     "system:authenticated"}}}}}}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<io::HttpResponse> Gateway::answer_itself(const io::HttpRequest& request,
                                                       const std::string& path) const {
  if (request.method == "POST") {
    if (const auto review = review_of_self(path)) return reply(201, *review);
    return std::nullopt;
  }
  if (request.method != "GET") return std::nullopt;
  const auto accept = io::find_header(request.headers, "Accept").value_or("");
  if ((path == "/api" || path == "/apis") && wants_aggregated_discovery(accept)) {
    io::HttpResponse response =
        reply(200, aggregated_discovery(api_resources(*server_), path == "/api"));
    response.headers = {{"Content-Type", std::string(kAggregatedDiscovery)}};
    return response;
  }
  if (path == kOpenApi) {
    return reply(200, openapi_index(api_resources(*server_), openapi_stamp(*server_)));
  }
  if (path.starts_with("/openapi/")) {
    if (!path.starts_with(std::string(kOpenApi) + "/")) return not_there();
    const auto document = openapi_document(
        api_resources(*server_), path.substr(kOpenApi.size() + 1), kubernetes_definitions());
    return document ? reply(200, *document) : not_there();
  }
  if (path.starts_with("/api")) {
    if (const auto document = discovery(api_resources(*server_), path))
      return reply(200, *document);
  }
  return std::nullopt;
}

}  // namespace davit::sim
