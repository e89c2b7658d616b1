#include "kube/client.hpp"

#include "kube/request.hpp"
#include "kube/status.hpp"
#include "kube/watch_event.hpp"
#include "kube/watch_stream.hpp"

namespace davit::kube {

namespace {

constexpr std::size_t kMaxErrorBody = std::size_t{1} << 20;

bool is_success(unsigned status) { return status >= 200 && status < 300; }

// The answer was complete, but is not what an API server says: something else sits in between.
Error not_kubernetes(Error error) {
  return Error(Code::kUnavailable, "the answer is not of the Kubernetes API: " + error.describe());
}

}  // namespace

Client::Client(io::Transport& transport, io::Loop& loop) : transport_(&transport), loop_(&loop) {}

io::Task<Result<std::string>> Client::exchange(Result<io::HttpRequest> request) {
  if (!request) co_return fail(std::move(request.error()));
  auto response =
      co_await transport_->send(std::move(*request), io::Deadline::after(*loop_, timeout_));
  if (!response) co_return fail(std::move(response.error()));
  if (!is_success(response->status)) {
    co_return fail(error_of_response(response->status, response->headers, response->body));
  }
  co_return std::move(response->body);
}

io::Task<Result<json::object>> Client::call(Result<io::HttpRequest> request) {
  auto body = co_await exchange(std::move(request));
  if (!body) co_return fail(std::move(body.error()));
  auto object = wire::parse_json_object(*body);
  if (!object) co_return fail(not_kubernetes(std::move(object.error())));
  co_return object;
}

io::Task<Result<json::object>> Client::get(Resource resource, ObjectKey key) {
  return call(get_request(resource, key));
}

io::Task<Result<List>> Client::list(Resource resource, std::string ns, ListOptions options) {
  auto body = co_await exchange(list_request(resource, ns, options));
  if (!body) co_return fail(std::move(body.error()));
  wire::ProjectionReader reader;
  auto page = parse_list(*body, resource,
                         options.projection ? *options.projection : wire::Projection(), reader);
  if (!page) co_return fail(not_kubernetes(std::move(page.error())));
  co_return page;
}

io::Task<Result<List>> Client::list_all(Resource resource, std::string ns, ListOptions options) {
  auto first = co_await list(resource, ns, options);
  if (!first) co_return first;
  List whole = std::move(*first);
  while (!whole.continue_token.empty()) {
    options.continue_token = whole.continue_token;
    auto page = co_await list(resource, ns, options);
    if (!page && page.error().code() == Code::kGone) {
      // The pages' version was compacted away while we read: everything at once cannot expire.
      options.continue_token.clear();
      options.limit = 0;
      page = co_await list(resource, ns, options);
      whole.items.clear();
    }
    if (!page) co_return page;
    for (json::object& item : page->items) whole.items.push_back(std::move(item));
    whole.version = std::move(page->version);
    whole.continue_token = std::move(page->continue_token);
  }
  co_return whole;
}

io::Task<Result<json::object>> Client::create(Resource resource, json::object object,
                                              FieldManager manager) {
  return call(create_request(resource, std::move(object), manager));
}

io::Task<Result<json::object>> Client::replace(Resource resource, json::object object,
                                               FieldManager manager) {
  return call(replace_request(resource, std::move(object), manager));
}

io::Task<Result<json::object>> Client::replace_status(Resource resource, json::object object,
                                                      FieldManager manager) {
  return call(replace_request(resource, std::move(object), manager, "status"));
}

io::Task<Result<json::object>> Client::apply(Resource resource, json::object object,
                                             ApplyOptions options) {
  return call(apply_request(resource, std::move(object), options));
}

io::Task<Result<json::object>> Client::patch(Resource resource, ObjectKey key, PatchType type,
                                             json::value patch, FieldManager manager,
                                             std::string subresource) {
  return call(patch_request(resource, key, type, patch, manager, subresource));
}

io::Task<Status> Client::remove(Resource resource, ObjectKey key, DeleteOptions options) {
  auto body = co_await exchange(delete_request(resource, key, options));
  if (!body) co_return fail(std::move(body.error()));
  co_return Status();
}

io::Task<Result<std::unique_ptr<WatchStream>>> Client::watch(Resource resource, std::string ns,
                                                             WatchOptions options) {
  auto request = watch_request(resource, ns, options);
  if (!request) co_return fail(std::move(request.error()));
  const io::Deadline deadline = io::Deadline::after(*loop_, timeout_);
  auto response = co_await transport_->open(std::move(*request), deadline);
  if (!response) co_return fail(std::move(response.error()));
  if (is_success(response->status)) {
    co_return std::make_unique<BodyWatchStream>(std::move(response->body));
  }
  std::string body;
  while (body.size() < kMaxErrorBody) {
    auto piece = co_await response->body->read(deadline);
    if (!piece || piece->empty()) break;  // the status line already says enough
    body += *piece;
  }
  co_return fail(error_of_response(response->status, response->headers, body));
}

io::Task<Result<std::string>> Client::raw(std::string method, std::string target,
                                          std::string body) {
  return exchange(raw_request(std::move(method), std::move(target), std::move(body)));
}

}  // namespace davit::kube
