#include "app/endpoints.hpp"

namespace davit::app {

io::HttpResponse Endpoints::answer(const io::HttpRequest& request) const {
  if (request.target == "/healthz") {
    // Answering at all shows that the loop turns; a late turn shows work that does not yield.
    return loop.now() - loop.progress().last_turn < stuck_after
               ? io::text_response(200, "ok\n")
               : io::text_response(503, "the event loop stands still\n");
  }
  if (request.target == "/readyz") {
    const std::string lines = what_is_not_synced();
    return lines.empty() ? io::text_response(200, "ok\n") : io::text_response(503, lines);
  }
  if (request.target == "/metrics") {
    const auto accept = io::find_header(request.headers, "Accept").value_or("");
    const Exposition format = negotiate_exposition(accept);
    return {.status = 200,
            .headers = {{"Content-Type", std::string(content_type(format))}},
            .body = metrics.expose(format)};
  }
  return io::text_response(404, "there are /healthz, /readyz and /metrics\n");
}

}  // namespace davit::app
