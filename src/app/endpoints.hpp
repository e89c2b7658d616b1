// What the operator answers over HTTP: /healthz, /readyz, /metrics.
//
// healthz fails when the loop has not turned for `stuck_after`: then only a restart helps. readyz
// fails until every cache is synced and says which is not; a missing permission shows here and does
// not stop the rest. A standby is ready.
#pragma once

#include <functional>
#include <string>

#include "base/metrics.hpp"
#include "io/asio_loop.hpp"
#include "io/http.hpp"

namespace davit::app {

struct Endpoints {
  io::AsioLoop& loop;
  Metrics& metrics;
  std::function<std::string()> what_is_not_synced;
  Duration stuck_after{std::chrono::seconds(30)};

  [[nodiscard]] io::HttpResponse answer(const io::HttpRequest& request) const;
};

}  // namespace davit::app
