// Route: what a request's method and target mean: verb, kind, object, options. Pure.
#pragma once

#include <string>
#include <string_view>

#include "io/http.hpp"
#include "sim/api_error.hpp"
#include "wire/percent.hpp"

namespace davit::sim {

struct Route {
  std::string path;  // without the query, decoded
  wire::Query query;
  const ResourceType* type = nullptr;  // null: no resource ("/version")
  std::string verb;                    // get, list, watch, create, update, patch, delete, …
  std::string ns, name, subresource;

  // "" when absent.
  [[nodiscard]] std::string_view parameter(std::string_view name) const;
  [[nodiscard]] ObjectKey key() const { return {ns, name}; }
  // Of the server's state, whatever the outcome; reviews do not count.
  [[nodiscard]] bool is_write() const;
};

[[nodiscard]] Answer<Route> parse_route(const Registry& registry, const io::HttpRequest& request);

}  // namespace davit::sim
