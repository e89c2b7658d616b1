#include "sim/api_server.hpp"

#include <algorithm>

#include "sim/verbs.hpp"

namespace davit::sim {

namespace {

constexpr const char* kAdministrator = "system:admin";

// A body that was there at once.
class WholeBody final : public io::BodyStream {
 public:
  explicit WholeBody(std::string body) : body_(std::move(body)) {}
  io::Task<Result<std::string>> read(io::Deadline /*deadline*/) override {
    co_return std::exchange(body_, {});
  }

 private:
  std::string body_;
};

Error refused_connection() { return {Code::kUnavailable, "connection refused"}; }

}  // namespace

class ApiServer::User final : public io::Transport {
 public:
  User(ApiServer& server, std::string name) : server_(&server), name_(std::move(name)) {}
  io::Task<Result<io::HttpResponse>> send(io::HttpRequest request, io::Deadline deadline) override {
    return server_->exchange(name_, std::move(request), deadline);
  }
  io::Task<Result<io::StreamingResponse>> open(io::HttpRequest request,
                                               io::Deadline deadline) override {
    return server_->stream(name_, std::move(request), deadline);
  }

 private:
  ApiServer* server_;
  std::string name_;
};

ApiServer::ApiServer(io::Loop& loop, Random& random)
    : loop_(&loop),
      operations_(registry_, store_, loop, random),
      watches_(loop, store_),
      collector_(loop, operations_) {
  store_.on_event([this](const StoredEvent& event) { follow_crds(event); });
  add_namespace("default");
  add_namespace("kube-system");
}

ApiServer::~ApiServer() = default;

io::Transport& ApiServer::as(const std::string& user) {
  std::unique_ptr<User>& slot = users_[user];
  if (!slot) slot = std::make_unique<User>(*this, user);
  return *slot;
}

io::Task<Result<io::HttpResponse>> ApiServer::send(io::HttpRequest request, io::Deadline deadline) {
  return exchange(kAdministrator, std::move(request), deadline);
}

io::Task<Result<io::StreamingResponse>> ApiServer::open(io::HttpRequest request,
                                                        io::Deadline deadline) {
  return stream(kAdministrator, std::move(request), deadline);
}

std::uint64_t ApiServer::begin(const std::string& user, const io::HttpRequest& request,
                               const Answer<Route>& route) {
  RequestInfo info;
  info.number = ++last_number_;
  info.at = loop_->now();
  info.user = user;
  info.method = request.method;
  info.target = request.target;
  info.body_size = request.body.size();
  if (route) {
    info.verb = route->verb;
    info.key = route->key();
    info.is_write = route->is_write();
    if (route->type) {
      info.resource = route->type->qualified();
      if (!route->subresource.empty()) info.resource += "/" + route->subresource;
    }
  }
  log_.push_back(std::move(info));
  return last_number_;
}

void ApiServer::answered(std::uint64_t number, unsigned status) {
  for (auto info = log_.rbegin(); info != log_.rend() && info->number >= number; ++info) {
    if (info->number == number) info->status = status;
  }
}

io::HttpResponse ApiServer::handle(const std::string& user, const Answer<Route>& route,
                                   const io::HttpRequest& request) {
  if (!route) return reply(route.error());
  if (!route->type) {
    if (route->path == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews") {
      return serve_access_review(access_, user, request);
    }
    return serve_other(registry_, *route);
  }
  if (const auto refused = access_.check(user, *route)) return reply(*refused);
  if (route->subresource == "log" && route->verb == "get" && pod_log_) {
    return {200, {{"Content-Type", "text/plain"}}, pod_log_(*route)};
  }
  return serve_resource(operations_, *route, request);
}

io::Task<Result<io::HttpResponse>> ApiServer::exchange(std::string user, io::HttpRequest request,
                                                       io::Deadline deadline) {
  const bool review = request.target.starts_with("/apis/authorization.k8s.io/");
  const Answer<Route> route =
      review ? Answer<Route>(Route{.path = request.target.substr(0, request.target.find('?')),
                                   .verb = "create"})
             : parse_route(registry_, request);
  const std::uint64_t number = begin(user, request, route);
  const Fault fault = faults_ ? faults_(log_.back()) : Fault();
  const auto late = [&](Duration delay) { return loop_->now() + delay > deadline.at; };
  const Error too_late(Code::kDeadlineExceeded, "the API server did not answer in time");

  if (late(fault.delay_before)) {
    co_await io::sleep_until(*loop_, deadline.at);
    co_return fail(too_late);
  }
  co_await io::sleep_for(*loop_, fault.delay_before);
  if (down_) co_return fail(refused_connection());
  if (fault.fail_before) co_return fail(*fault.fail_before);
  if (fault.refuse) {
    answered(number, fault.refuse->status);
    co_return *fault.refuse;
  }
  io::HttpResponse response = handle(user, route, request);
  answered(number, response.status);
  if (late(fault.delay_after)) {
    co_await io::sleep_until(*loop_, deadline.at);
    co_return fail(too_late);
  }
  co_await io::sleep_for(*loop_, fault.delay_after);
  if (fault.lose_reply) co_return fail(*fault.lose_reply);
  if (fault.replace) co_return *fault.replace;
  co_return response;
}

io::Task<Result<io::StreamingResponse>> ApiServer::stream(std::string user, io::HttpRequest request,
                                                          io::Deadline deadline) {
  const Answer<Route> route = parse_route(registry_, request);
  if (!route || route->verb != "watch") {
    auto response = co_await exchange(std::move(user), std::move(request), deadline);
    if (!response) co_return fail(std::move(response.error()));
    co_return io::StreamingResponse{response->status, std::move(response->headers),
                                    std::make_unique<WholeBody>(std::move(response->body))};
  }
  const std::uint64_t number = begin(user, request, route);
  const Fault fault = faults_ ? faults_(log_.back()) : Fault();
  co_await io::sleep_for(*loop_, fault.delay_before);
  if (down_) co_return fail(refused_connection());
  if (fault.fail_before) co_return fail(*fault.fail_before);
  std::optional<io::HttpResponse> refusal = fault.refuse;
  if (const auto refused = access_.check(user, *route); !refusal && refused) {
    refusal = reply(*refused);
  }
  Answer<std::unique_ptr<io::BodyStream>> body;
  if (!refusal) {
    auto query = watch_query(*route);
    if (!query) {
      refusal = reply(query.error());
    } else if (body = watches_.open(std::move(*query)); !body) {
      refusal = reply(body.error());
    }
  }
  answered(number, refusal ? refusal->status : 200);
  co_await io::sleep_for(*loop_, fault.delay_after);
  if (fault.lose_reply) co_return fail(*fault.lose_reply);
  if (refusal) {
    co_return io::StreamingResponse{refusal->status, std::move(refusal->headers),
                                    std::make_unique<WholeBody>(std::move(refusal->body))};
  }
  co_return io::StreamingResponse{200, {{"Content-Type", "application/json"}}, std::move(*body)};
}

void ApiServer::set_down(bool down) {
  down_ = down;
  if (down) watches_.cut_all();
}

std::size_t ApiServer::writes(std::string_view user) const {
  return static_cast<std::size_t>(std::ranges::count_if(log_, [&](const RequestInfo& info) {
    return info.is_write && (user.empty() || info.user == user);
  }));
}

void ApiServer::add_namespace(const std::string& name) {
  (void)operations_.create(*registry_.find(kube::kNamespaces), "",
                           {{"metadata", json::object{{"name", name}}}}, {});
}

Object ApiServer::find(const kube::Resource& resource, const ObjectKey& key) const {
  const ResourceType* type = registry_.find(resource);
  return type ? store_.get(*type, key) : nullptr;
}

void ApiServer::follow_crds(const StoredEvent& event) {
  if (event.type->plural != "customresourcedefinitions") return;
  if (!event.after) {
    const std::string_view group = wire::find_string(*event.before, "spec.group");
    const std::string_view kind = wire::find_string(*event.before, "spec.names.kind");
    if (const ResourceType* type = registry_.find_kind(std::string(group) + "/", kind)) {
      std::vector<ObjectKey> keys;
      for (const auto& [key, object] : store_.all(*type)) keys.push_back(key);
      for (const ObjectKey& key : keys) store_.erase(*type, key);
    }
    registry_.remove_crd(*event.before);
    return;
  }
  registry_.add_crd(*event.after);
  const ResourceType* type = event.type;
  if (wire::find_array(*event.after, "status.conditions")) return;
  loop_->post([this, type, key = event.key] {
    operations_.edit(*type, key, "status", [this](json::object& crd) {
      const std::string now = format_time(loop_->wall());
      json::array conditions;
      for (const std::string_view name : {"NamesAccepted", "Established"}) {
        conditions.push_back(json::object{
            {"type", name}, {"status", "True"}, {"reason", name}, {"lastTransitionTime", now}});
      }
      wire::ensure_object(crd, "status")["conditions"] = std::move(conditions);
    });
  });
}

}  // namespace davit::sim
