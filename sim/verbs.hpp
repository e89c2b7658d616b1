// From a routed request to an operation and back to a reply: reading the body and the query,
// choosing the verb, shaping lists and Status bodies. Everything of HTTP that is not transport.
#pragma once

#include "io/http.hpp"
#include "sim/access_control.hpp"
#include "sim/operations.hpp"
#include "sim/route.hpp"
#include "sim/watch.hpp"

namespace davit::sim {

[[nodiscard]] io::HttpResponse reply(unsigned status, const json::object& body);
[[nodiscard]] io::HttpResponse reply(const ApiError& error);

[[nodiscard]] io::HttpResponse serve_resource(Operations& operations, const Route& route,
                                              const io::HttpRequest& request);
// "/version", health, discovery.
[[nodiscard]] io::HttpResponse serve_other(const Registry& registry, const Route& route);

[[nodiscard]] WriteOptions write_options(const Route& route, const io::HttpRequest& request);
// Of a DeleteOptions object.
[[nodiscard]] DeleteOptions delete_options(const json::object& body);
[[nodiscard]] Answer<WatchQuery> watch_query(const Route& route);

}  // namespace davit::sim
