#include "sim/api_server.hpp"

#include <algorithm>

#include "sim/subresources.hpp"
#include "sim/verbs.hpp"
#include "sim/whole_response.hpp"

namespace davit::sim {

namespace {

constexpr const char* kAdministrator = "system:admin";
constexpr std::string_view kControllers = "system:kube-controller-manager";

// Marks a request as the one that acts, for as long as it lives.
class Acting {
 public:
  Acting(const RequestInfo*& slot, const RequestInfo& info)
      : slot_(&slot), before_(std::exchange(slot, &info)) {}
  ~Acting() { *slot_ = before_; }
  Acting(const Acting&) = delete;
  Acting& operator=(const Acting&) = delete;

 private:
  const RequestInfo** slot_;
  const RequestInfo* before_;
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

RequestInfo ApiServer::begin(const std::string& user, const io::HttpRequest& request,
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
  log_.push_back(info);
  return info;
}

void ApiServer::settled(RequestInfo& info, const io::HttpRequest& request,
                        const io::HttpResponse* response) {
  if (response) {
    info.status = response->status;
    // Numbers are consecutive; the log may have been cleared since.
    if (!log_.empty() && info.number >= log_.front().number) {
      log_[info.number - log_.front().number].status = info.status;
    }
  }
  for (const RequestListener& listener : listeners_) listener(info, request, response);
}

io::HttpResponse ApiServer::handle(const RequestInfo& info, const Answer<Route>& route,
                                   const io::HttpRequest& request) {
  if (!route) return reply(route.error());
  if (!route->type) {
    if (auto review = serve_review(access_, info.user, *route, request)) return *std::move(review);
    return serve_other(registry_, *route);
  }
  if (const auto refused = access_.check(info.user, *route)) return reply(*refused);
  if (route->subresource == "log" && route->verb == "get" && pod_log_) {
    return {200, {{"Content-Type", "text/plain"}}, pod_log_(*route)};
  }
  const Acting acting(current_, info);
  return serve_resource(operations_, *route, request);
}

io::Task<Result<io::HttpResponse>> ApiServer::exchange(std::string user, io::HttpRequest request,
                                                       io::Deadline deadline) {
  const Answer<Route> route = parse_route(registry_, request);
  RequestInfo info = begin(user, request, route);
  const Fault fault = faults_ ? faults_(info) : Fault();
  const auto late = [&](Duration delay) { return loop_->now() + delay > deadline.at; };
  const Error too_late(Code::kDeadlineExceeded, "the API server did not answer in time");

  if (late(fault.delay_before)) {
    co_await io::sleep_until(*loop_, deadline.at);
    settled(info, request, nullptr);
    co_return fail(too_late);
  }
  co_await io::sleep_for(*loop_, fault.delay_before);
  if (down_ || fault.fail_before) {
    settled(info, request, nullptr);
    co_return fail(down_ ? refused_connection() : *fault.fail_before);
  }
  if (fault.refuse) {
    settled(info, request, &*fault.refuse);
    co_return *fault.refuse;
  }
  info.reply_lost = fault.lose_reply || fault.replace || late(fault.delay_after);
  io::HttpResponse response = handle(info, route, request);
  settled(info, request, &response);
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
    co_return whole(std::move(*response));
  }
  RequestInfo info = begin(user, request, route);
  const Fault fault = faults_ ? faults_(info) : Fault();
  co_await io::sleep_for(*loop_, fault.delay_before);
  if (down_ || fault.fail_before) {
    settled(info, request, nullptr);
    co_return fail(down_ ? refused_connection() : *fault.fail_before);
  }
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
  const io::HttpResponse accepted{200, {{"Content-Type", "application/json"}}, {}};
  settled(info, request, refusal ? &*refusal : &accepted);
  co_await io::sleep_for(*loop_, fault.delay_after);
  if (fault.lose_reply) co_return fail(*fault.lose_reply);
  if (refusal) co_return whole(std::move(*refusal));
  co_return io::StreamingResponse{200, accepted.headers, std::move(*body)};
}

void ApiServer::set_admission(Admission admission) {
  const bool first = !admission_;
  admission_ = std::move(admission);
  if (!first) return;
  operations_.add_admission([this](const AdmissionRequest& asked) -> std::optional<ApiError> {
    if (!admission_) return std::nullopt;
    AdmissionRequest request = asked;
    request.user = current_ ? std::string_view(current_->user) : kControllers;
    return admission_(request);
  });
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
