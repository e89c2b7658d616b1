#include "sim/serve/gateway.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/serve/certificates.hpp"
#include "sim/serve/event_stream.hpp"
#include "sim/serve/request_body.hpp"
#include "sim/serve/views.hpp"
#include "sim/verbs.hpp"
#include "sim/whole_response.hpp"

namespace davit::sim {

namespace {

// The client's timeouts are kept by whoever knows the client's clock; this one never passes.
constexpr std::string_view kNoTimeout = "2000000000";

io::StreamingResponse refusal(unsigned code, std::string reason, std::string message) {
  return whole(reply(not_served(code, std::move(reason), std::move(message)).error()));
}

io::StreamingResponse unavailable(const Error& error) {
  return refusal(503, "ServiceUnavailable", error.message());
}

std::string_view path_of(const io::HttpRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

// "/api/v1/events" and below, in or out of a namespace: where such objects really are.
std::optional<std::string> event_store_path(std::string_view path) {
  constexpr std::string_view kCore = "/api/v1/";
  if (!path.starts_with(kCore)) return std::nullopt;
  std::string_view rest = path.substr(kCore.size());
  std::string_view after = rest;
  if (after.starts_with("namespaces/")) {
    const std::size_t end = after.find('/', 11);
    if (end == std::string_view::npos) return std::nullopt;
    after = after.substr(end + 1);
  }
  if (after != "events" && !after.starts_with("events/")) return std::nullopt;
  return "/apis/events.k8s.io/v1/" + std::string(rest);
}

RowObject row_object_of(std::string_view parameter) {
  if (parameter == "None") return RowObject::kNone;
  return parameter == "Object" ? RowObject::kWhole : RowObject::kMetadata;
}

std::string with_query(std::string_view path, const wire::Query& query) {
  return std::string(path) + wire::encode_query(query);
}

}  // namespace

Gateway::Gateway(ApiServer& server, io::Loop& loop, std::string token)
    : server_(&server), loop_(&loop), token_(std::move(token)) {}

bool Gateway::is_known(const io::HttpRequest& request) const {
  constexpr std::string_view kBearer = "Bearer ";
  const auto header = io::find_header(request.headers, "Authorization");
  return header && header->starts_with(kBearer) &&
         same_token(header->substr(kBearer.size()), token_);
}

io::Task<io::StreamingResponse> Gateway::answer(io::HttpRequest request) {
  std::string what;
  try {
    co_return co_await dispatch(std::move(request));
  } catch (const std::exception& error) {
    what = error.what();
  }
  co_return refusal(500, "InternalError", "Internal error occurred: " + what);
}

io::Task<io::StreamingResponse> Gateway::dispatch(io::HttpRequest request) {
  if (!is_known(request)) co_return refusal(401, "Unauthorized", "Unauthorized");
  if (io::find_header(request.headers, "Impersonate-User")) {
    co_return refusal(501, "NotImplemented", "the simulator does not serve impersonation");
  }
  if (also_) {
    if (auto response = also_(request)) co_return whole(std::move(*response));
  }
  if (auto bad = normalise_body(request, messages_)) co_return whole(std::move(*bad));
  if (auto own = answer_itself(request, std::string(path_of(request)))) {
    co_return whole(std::move(*own));
  }
  Answer<Call> call = make_call(std::move(request));
  if (!call) co_return whole(reply(call.error()));
  if (call->route.type && call->route.verb == "watch") co_return co_await watch(std::move(*call));
  if (call->route.subresource == "scale" && is_scalable(*call->route.type)) {
    co_return co_await scale(std::move(*call));
  }
  if (call->route.subresource == "log" && call->route.verb == "get") {
    co_return co_await log(std::move(*call));
  }
  co_return co_await ask(std::move(*call));
}

Answer<Gateway::Call> Gateway::make_call(io::HttpRequest request) const {
  Call call;
  const auto form = choose_form(io::find_header(request.headers, "Accept").value_or(""));
  if (!form) {
    return not_served(406, "NotAcceptable",
                      "only the following media types are accepted: application/json");
  }
  call.form = *form;
  const auto store_path = server_->registry().find("", "v1", "events")
                              ? std::nullopt
                              : event_store_path(path_of(request));
  call.core_events = store_path.has_value();
  if (store_path) {
    const std::size_t question = request.target.find('?');
    request.target =
        *store_path +
        (question == std::string::npos ? std::string() : request.target.substr(question));
  }
  auto route = parse_route(server_->registry(), request);
  if (!route) return Refusal(route.error());
  call.route = std::move(*route);
  call.row_object = row_object_of(call.route.parameter("includeObject"));
  if (call.core_events) {
    auto fields = Selector::fields(call.route.parameter("fieldSelector"));
    if (!fields) return Refusal(fields.error());
    call.core_fields = std::move(*fields);
    const std::string& verb = call.route.verb;
    if (verb != "get" && verb != "list" && verb != "watch") {
      return not_served(405, "MethodNotAllowed",
                        "the simulator serves core Events for reading; write events.k8s.io/v1");
    }
  }
  if (call.route.type) {
    wire::Query query;
    for (const auto& [name, value] : call.route.query) {
      const bool ours = name == "includeObject" ||
                        (name == "timeoutSeconds" && call.route.verb == "watch") ||
                        (name == "fieldSelector" && call.core_events);
      if (!ours) query.emplace_back(name, value);
    }
    if (call.route.verb == "watch") query.emplace_back("timeoutSeconds", kNoTimeout);
    request.target = with_query(path_of(request), query);
  }
  std::erase_if(request.headers, [](const auto& header) { return header.first == "Accept"; });
  call.request = std::move(request);
  return call;
}

std::shared_ptr<const Columns> Gateway::columns_of(const ResourceType& type) const {
  const json::object* crd = crd_of(*server_, type);
  return std::make_shared<const Columns>(crd ? custom_columns(*crd, type.version)
                                             : builtin_columns(type));
}

std::optional<json::object> Gateway::selected(const Call& call, json::object object) const {
  if (!call.core_events) return object;
  json::object event = core_event(object);
  if (!call.core_fields.matches(event)) return std::nullopt;
  return event;
}

json::object Gateway::shaped(const Call& call, json::object body) const {
  if (wire::find_string(body, "kind") == "Status" || !call.route.type) return body;
  if (call.core_events && is_list(body)) {
    json::array items;
    for (json::value& item : body["items"].as_array()) {
      if (auto event = selected(call, std::move(item.as_object()))) {
        event->erase("kind");
        event->erase("apiVersion");
        items.push_back(std::move(*event));
      }
    }
    body["apiVersion"] = "v1";
    body["items"] = std::move(items);
  } else if (call.core_events) {
    body = core_event(body);
  }
  if (call.form == Form::kMetadata) return metadata_only(body);
  if (call.form == Form::kTable) {
    return TableMaker(columns_of(*call.route.type), call.row_object).table(body, loop_->wall());
  }
  return body;
}

io::Task<io::StreamingResponse> Gateway::ask(Call call) {
  auto response = co_await server_->send(std::move(call.request), io::Deadline::never());
  if (!response) co_return unavailable(response.error());
  const bool plain = call.form == Form::kObject && !call.core_events;
  if (plain || response->status >= 300) co_return whole(std::move(*response));
  auto body = wire::parse_json_object(response->body);
  if (!body) co_return whole(std::move(*response));
  response->body = json::serialize(shaped(call, std::move(*body)));
  co_return whole(std::move(*response));
}

io::Task<io::StreamingResponse> Gateway::watch(Call call) {
  auto stream = co_await server_->open(std::move(call.request), io::Deadline::never());
  if (!stream) co_return unavailable(stream.error());
  const bool plain = call.form == Form::kObject && !call.core_events;
  if (plain || stream->status != 200) co_return std::move(*stream);
  auto change = [this, call = std::make_shared<const Call>(std::move(call)),
                 columns = std::shared_ptr<const Columns>(),
                 first = true](std::string_view type,
                               json::object object) mutable -> std::optional<json::object> {
    if (type == "ERROR") return object;
    auto seen = type == "BOOKMARK" && call->core_events ? core_event(object)
                                                        : selected(*call, std::move(object));
    if (!seen || call->form == Form::kObject) return seen;
    if (call->form == Form::kMetadata) return metadata_only(*seen);
    if (!columns) columns = columns_of(*call->route.type);
    const bool headers = std::exchange(first, false);
    return TableMaker(columns, call->row_object).table(*seen, loop_->wall(), headers);
  };
  co_return io::StreamingResponse{stream->status, std::move(stream->headers),
                                  change_events(std::move(stream->body), std::move(change))};
}

io::Task<io::StreamingResponse> Gateway::scale(Call call) {
  io::HttpRequest& request = call.request;
  const std::string path(path_of(request).substr(0, path_of(request).rfind('/')));
  if (call.route.verb == "get") {
    request.target = path;
  } else if (call.route.verb == "update" || call.route.verb == "patch") {
    const auto type = io::find_header(request.headers, "Content-Type").value_or("");
    if (call.route.verb == "patch" && !type.starts_with("application/merge-patch+json")) {
      co_return refusal(415, "UnsupportedMediaType",
                        "the simulator takes merge patches of scale only");
    }
    const auto body = wire::parse_json_object(request.body);
    if (!body) co_return whole(reply(bad_request("the body is not an object").error()));
    const auto patch = patch_of_scale(*body);
    if (!patch) co_return whole(reply(patch.error()));
    request.method = "PATCH";
    request.body = json::serialize(*patch);
    std::erase_if(request.headers, [](const auto& one) { return one.first == "Content-Type"; });
    request.headers.emplace_back("Content-Type", "application/merge-patch+json");
    request.target = with_query(path, call.route.query);
  } else {
    co_return refusal(405, "MethodNotAllowed",
                      "the server does not allow this method on the requested resource");
  }
  auto response = co_await server_->send(std::move(request), io::Deadline::never());
  if (!response) co_return unavailable(response.error());
  if (response->status >= 300) co_return whole(std::move(*response));
  const auto workload = wire::parse_json_object(response->body);
  if (!workload) co_return whole(std::move(*response));
  co_return whole(reply(200, scale_of(*workload)));
}

}  // namespace davit::sim
