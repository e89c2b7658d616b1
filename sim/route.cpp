#include "sim/route.hpp"

#include <vector>

namespace davit::sim {

namespace {

Answer<std::vector<std::string>> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    auto segment = wire::percent_decode(path.substr(0, end));
    if (!segment) return bad_request("the path cannot be decoded");
    if (!segment->empty()) segments.push_back(std::move(*segment));
    path.remove_prefix(end);
  }
  return segments;
}

std::string verb_of(const io::HttpRequest& request, const Route& route) {
  const std::string& method = request.method;
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return route.name.empty() ? "deletecollection" : "delete";
  const std::string_view watch = route.parameter("watch");
  if (watch == "1" || watch == "true") return "watch";
  return route.name.empty() ? "list" : "get";
}

Refusal no_such_path() {
  ApiError error =
      not_served(404, "NotFound", "the server could not find the requested resource").error();
  error.has_details = true;
  return Refusal(std::move(error));
}

}  // namespace

std::string_view Route::parameter(std::string_view wanted) const {
  for (const auto& [key, value] : query) {
    if (key == wanted) return value;
  }
  return {};
}

bool Route::is_write() const { return type && verb != "get" && verb != "list" && verb != "watch"; }

Answer<Route> parse_route(const Registry& registry, const io::HttpRequest& request) {
  Route route;
  const std::string_view target = request.target;
  const std::size_t question = target.find('?');
  route.path = target.substr(0, question);
  if (question != std::string_view::npos) {
    auto query = wire::decode_query(target.substr(question + 1));
    if (!query) return bad_request("the query cannot be decoded");
    route.query = std::move(*query);
  }
  auto segments = segments_of(route.path);
  if (!segments) return Refusal(segments.error());
  const std::vector<std::string>& at = *segments;
  const bool core = !at.empty() && at[0] == "api";
  const bool named = !at.empty() && at[0] == "apis";
  const std::size_t head = core ? 2 : 3;
  if ((!core && !named) || at.size() <= head) {
    route.verb = request.method == "GET" ? "get" : "other";
    return route;
  }
  const std::string group = core ? "" : at[1];
  if (group == "authorization.k8s.io" && request.method == "POST") {  // reviews, of no kind
    route.verb = "create";
    return route;
  }
  const std::string& version = at[head - 1];
  std::size_t i = head;
  if (at[i] == "namespaces" && at.size() > i + 2 && at[i + 2] != "status" &&
      at[i + 2] != "finalize") {
    route.ns = at[i + 1];
    i += 2;
  }
  route.type = registry.find(group, version, at[i]);
  if (!route.type || (route.type->namespaced && route.ns.empty() && at.size() > i + 1) ||
      (!route.type->namespaced && !route.ns.empty())) {
    return no_such_path();
  }
  if (at.size() > i + 1) route.name = at[i + 1];
  for (std::size_t j = i + 2; j < at.size(); ++j) {
    route.subresource += (route.subresource.empty() ? "" : "/") + at[j];
  }
  route.verb = verb_of(request, route);
  if (route.subresource == "status" && !route.type->has_status) return no_such_path();
  return route;
}

}  // namespace davit::sim
