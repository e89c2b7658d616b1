#include "app/endpoints.hpp"

namespace davit::app {

namespace {

io::HttpResponse text(unsigned status, std::string body) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
          .body = std::move(body)};
}

}  // namespace

io::HttpResponse Endpoints::answer(const io::HttpRequest& request) const {
  if (request.target == "/healthz") {
    // Answering at all shows that the loop turns; a late turn shows work that does not yield.
    return loop.now() - loop.progress().last_turn < stuck_after
               ? text(200, "ok\n")
               : text(503, "the event loop stands still\n");
  }
  if (request.target == "/readyz") {
    const std::string lines = what_is_not_synced();
    return lines.empty() ? text(200, "ok\n") : text(503, lines);
  }
  if (request.target == "/metrics") {
    const auto accept = io::find_header(request.headers, "Accept").value_or("");
    const Exposition format = negotiate_exposition(accept);
    return {.status = 200,
            .headers = {{"Content-Type", std::string(content_type(format))}},
            .body = metrics.expose(format)};
  }
  return text(404, "there are /healthz, /readyz and /metrics\n");
}

}  // namespace davit::app
