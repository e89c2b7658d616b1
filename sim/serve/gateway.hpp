// Gateway: everything kubectl needs beyond the verbs of the simulated API server: who is asking,
// forms of answers (Table, PartialObjectMetadata), discovery, OpenAPI, core Events, Scale, reviews
// of oneself, bodies in YAML and protobuf.
//
//   Gateway gateway(server, loop, token);
//   io::StreamingResponse answer = co_await gateway.answer(std::move(request));
//
// On the loop of the simulated cluster, one thread. What it does not know goes to the server as the
// administrator's, and comes back as the server says it; what nobody serves is refused with the
// Status a real API server sends. Never fails otherwise: a defect is a Status 500.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/api_server.hpp"
#include "sim/serve/accept.hpp"
#include "sim/serve/api_resources.hpp"
#include "sim/serve/protobuf.hpp"
#include "sim/serve/table.hpp"

namespace davit::sim {

class Gateway {
 public:
  Gateway(ApiServer& server, io::Loop& loop, std::string token);

  [[nodiscard]] io::Task<io::StreamingResponse> answer(io::HttpRequest request);

  // Asked first, for requests of known clients; nullopt: not its business. One at most.
  using Handler = std::function<std::optional<io::HttpResponse>(const io::HttpRequest&)>;
  void serve_also(Handler handler) { also_ = std::move(handler); }

 private:
  // A request about resources, ready for the server.
  struct Call {
    io::HttpRequest request;
    Route route;
    Form form = Form::kObject;
    bool core_events = false;  // asked for as core/v1, kept as events.k8s.io/v1
    Selector core_fields;      // of those
    RowObject row_object = RowObject::kMetadata;
  };
  io::Task<io::StreamingResponse> dispatch(io::HttpRequest request);
  io::Task<io::StreamingResponse> ask(Call call);
  io::Task<io::StreamingResponse> watch(Call call);
  io::Task<io::StreamingResponse> scale(Call call);
  io::Task<io::StreamingResponse> log(Call call);

  [[nodiscard]] bool is_known(const io::HttpRequest& request) const;
  [[nodiscard]] std::optional<io::HttpResponse> answer_itself(const io::HttpRequest& request,
                                                              const std::string& path) const;
  [[nodiscard]] Answer<Call> make_call(io::HttpRequest request) const;
  [[nodiscard]] std::shared_ptr<const Columns> columns_of(const ResourceType& type) const;
  // As the client wants it; nullopt: not selected.
  [[nodiscard]] std::optional<json::object> selected(const Call& call, json::object object) const;
  [[nodiscard]] json::object shaped(const Call& call, json::object body) const;

  ApiServer* server_;
  io::Loop* loop_;
  std::string token_;
  Handler also_;
  std::optional<Messages> messages_;
};

}  // namespace davit::sim
