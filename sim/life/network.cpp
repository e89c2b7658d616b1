#include "sim/life/network.hpp"

#include <algorithm>
#include <array>

#include "sim/life/contains.hpp"
#include "sim/route.hpp"
#include "sim/verbs.hpp"

namespace davit::sim {

namespace {

struct Name {
  Trouble kind;
  std::string_view name;
};
constexpr std::array kNames{
    Name{Trouble::kError, "error"},
    Name{Trouble::kFailBefore, "fail-before"},
    Name{Trouble::kLoseReply, "lose-reply"},
    Name{Trouble::kDelay, "delay"},
    Name{Trouble::kDuplicate, "duplicate"},
    Name{Trouble::kStaleList, "stale-list"},
    Name{Trouble::kQuota, "quota"},
    Name{Trouble::kAdmission, "admission"},
    Name{Trouble::kWatchDelay, "watch-delay"},
    Name{Trouble::kWatchDuplicate, "watch-duplicate"},
    Name{Trouble::kWatchReorder, "watch-reorder"},
};

struct Refused {
  unsigned status;
  std::string_view reason, message;
};
constexpr std::array kRefused{
    Refused{401, "Unauthorized", "Unauthorized"},
    Refused{403, "Forbidden", "forbidden: the authorizer is not there"},
    Refused{404, "NotFound", "the server could not find the requested resource"},
    Refused{409, "Conflict", "Operation cannot be fulfilled: the object has been modified"},
    Refused{410, "Expired", "The resourceVersion for the provided watch is too old."},
    Refused{429, "TooManyRequests", "too many requests, please try again later"},
    Refused{500, "InternalError",
            "an error on the server has prevented the request from succeeding"},
    Refused{503, "ServiceUnavailable", "the server is currently unable to handle the request"},
    Refused{504, "Timeout", "the server was unable to return a response in the time allotted"},
};

io::HttpResponse refusal(unsigned status, int retry_after) {
  const auto* known = std::ranges::find(kRefused, status, &Refused::status);
  ApiError error;
  error.code = status;
  error.reason = known == kRefused.end() ? "Unknown" : std::string(known->reason);
  error.message = known == kRefused.end() ? "unknown" : std::string(known->message);
  error.retry_after_seconds = retry_after;
  io::HttpResponse response = reply(error);
  if (retry_after > 0) response.headers.emplace_back("Retry-After", std::to_string(retry_after));
  return response;
}

io::HttpResponse forbidden_for(std::string message) {
  ApiError error;
  error.code = 403;
  error.reason = "Forbidden";
  error.message = std::move(message);
  return reply(error);
}

bool is_read(std::string_view verb) { return verb == "get" || verb == "list" || verb == "watch"; }

// "statefulsets" names "statefulsets.apps" too, but not its subresources.
bool names_resource(std::string_view wanted, std::string_view resource) {
  if (wanted == resource) return true;
  const std::size_t slash = resource.find('/');
  const std::string_view subresource =
      slash == std::string_view::npos ? std::string_view() : resource.substr(slash);
  std::string_view base = resource.substr(0, slash);
  base = base.substr(0, base.find('.'));
  const std::size_t cut = wanted.find('/');
  const std::string_view wanted_sub =
      cut == std::string_view::npos ? std::string_view() : wanted.substr(cut);
  return wanted.substr(0, cut) == base && wanted_sub == subresource;
}

}  // namespace

std::string_view to_string(Trouble kind) {
  const auto* found = std::ranges::find(kNames, kind, &Name::kind);
  return found == kNames.end() ? "?" : found->name;
}

std::optional<Trouble> trouble_from(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name, &Name::name);
  if (found == kNames.end()) return std::nullopt;
  return found->kind;
}

std::vector<std::string_view> trouble_names() {
  std::vector<std::string_view> names;
  for (const Name& name : kNames) names.push_back(name.name);
  return names;
}

Network::Network(const Clock& clock, Random& random, ApiServer& server)
    : clock_(&clock), random_(&random), server_(&server) {
  server.store().on_event([this](const StoredEvent& event) {
    if (!versions_.empty() && versions_.back().first == clock_->now()) versions_.pop_back();
    versions_.emplace_back(clock_->now(), event.version);
  });
}

// What the store's version was then, within the window that it still knows.
Version Network::version_at(Monotonic when) const {
  const auto later =
      std::ranges::upper_bound(versions_, when, {}, &std::pair<Monotonic, Version>::first);
  const Version version = later == versions_.begin() ? 1 : std::prev(later)->second;
  return std::max(version, server_->store().oldest());
}

bool Network::hit(NetworkRule& rule, const Facts& facts) {
  if (!rule.verb.empty() && rule.verb != facts.verb && !(rule.verb == "write" && facts.is_write) &&
      !(rule.verb == "read" && is_read(facts.verb))) {
    return false;
  }
  if (!rule.resource.empty() && !names_resource(rule.resource, facts.resource)) return false;
  if (rule.limit > 0 && rule.done >= rule.limit) return false;
  if (++rule.seen % std::max(1U, rule.every) != 0) return false;
  if (rule.chance < 1 && random_->unit() >= rule.chance) return false;
  ++rule.done;
  ++hits_;
  return true;
}

void Network::forget_old() {
  std::erase_if(rules_, [this](const NetworkRule& rule) { return rule.until <= clock_->now(); });
}

NetworkRule* Network::hit_by(std::initializer_list<Trouble> kinds, const Facts& facts) {
  for (NetworkRule& rule : rules_) {
    if (contains(kinds, rule.kind) && hit(rule, facts)) return &rule;
  }
  return nullptr;
}

NetworkRule* Network::hit_by(std::initializer_list<Trouble> kinds, const io::HttpRequest& request) {
  forget_old();
  if (std::ranges::none_of(rules_,
                           [&](const NetworkRule& rule) { return contains(kinds, rule.kind); })) {
    return nullptr;
  }
  const Answer<Route> route = parse_route(server_->registry(), request);
  if (!route || !route->type) return nullptr;
  std::string resource = route->type->qualified();
  if (!route->subresource.empty()) resource += "/" + route->subresource;
  return hit_by(kinds, {route->verb, resource, route->is_write()});
}

Fault Network::on_request(const RequestInfo& request) {
  Fault fault;
  if (rules_.empty() || !request.user.starts_with("davit-")) return fault;
  forget_old();
  const Facts facts{request.verb, request.resource, request.is_write};
  const auto up_to = [this](Duration limit) {
    return Duration(
        static_cast<Duration::rep>(static_cast<double>(limit.count()) * random_->unit()));
  };
  for (NetworkRule& rule : rules_) {
    const bool only_writes = rule.kind == Trouble::kQuota || rule.kind == Trouble::kAdmission;
    if (rule.kind > Trouble::kAdmission || rule.kind == Trouble::kDuplicate ||
        rule.kind == Trouble::kStaleList || (only_writes && !request.is_write) ||
        !hit(rule, facts)) {
      continue;
    }
    if (told_) told_(request, rule.kind);
    switch (rule.kind) {
      case Trouble::kError:
        fault.refuse = refusal(rule.status, rule.retry_after);
        break;
      case Trouble::kFailBefore:
        fault.fail_before = Error(Code::kUnavailable, "connection refused");
        break;
      case Trouble::kLoseReply:
        fault.lose_reply = Error(Code::kUnavailable, "connection reset");
        break;
      case Trouble::kDelay:
        fault.delay_before = up_to(rule.by);
        fault.delay_after = up_to(rule.by);
        break;
      case Trouble::kQuota:
        fault.refuse = forbidden_for("exceeded quota: team, requested: 1, used: 10, limited: 10");
        break;
      case Trouble::kAdmission:
        fault.refuse = forbidden_for(
            "admission webhook \"policy.example\" denied the request: not before Monday");
        break;
      default:
        break;
    }
  }
  return fault;
}

bool Network::sends_twice(const io::HttpRequest& request) {
  return !rules_.empty() && hit_by({Trouble::kDuplicate}, request) != nullptr;
}

std::optional<Version> Network::past_of(const io::HttpRequest& request) {
  if (rules_.empty() || request.method != "GET") return std::nullopt;
  const NetworkRule* rule = hit_by({Trouble::kStaleList}, request);
  if (rule == nullptr) return std::nullopt;
  const Answer<Route> route = parse_route(server_->registry(), request);
  if (!route || route->verb != "list") return std::nullopt;
  return version_at(clock_->now() + (Duration{0} - rule->by));
}

WatchShape Network::shape_of(const io::HttpRequest& request) {
  WatchShape shape;
  if (rules_.empty()) return shape;
  if (const NetworkRule* rule = hit_by({Trouble::kWatchDelay, Trouble::kStaleList}, request)) {
    shape.delay = rule->by;
  }
  if (hit_by({Trouble::kWatchDuplicate}, request) != nullptr) shape.duplicate = 0.5;
  if (hit_by({Trouble::kWatchReorder}, request) != nullptr) shape.reorder = 0.5;
  return shape;
}

}  // namespace davit::sim
