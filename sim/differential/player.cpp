#include "sim/differential/player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/sync.hpp"
#include "wire/percent.hpp"
#include "wire/yaml.hpp"

namespace davit::sim::differential {

namespace {

constexpr auto kPatience = std::chrono::seconds(20);
constexpr auto kPollInterval = std::chrono::milliseconds(50);
constexpr auto kStreamPatience = std::chrono::seconds(4);

constexpr std::array<std::string_view, 13> kVerbs = {
    "create", "update", "apply",     "get",   "list",   "delete", "delete_all",
    "merge",  "json",   "strategic", "watch", "events", "request"};

std::string_view verb_of(const json::object& step) {
  for (const std::string_view verb : kVerbs) {
    if (step.contains(verb)) return verb;
  }
  return {};
}

const Kind* kind_of(const Kinds& kinds, const json::object& object) {
  for (const auto& [resource, kind] : kinds) {
    if (wire::find_string(kind.base, "kind") == wire::find_string(object, "kind") &&
        wire::find_string(kind.base, "apiVersion") == wire::find_string(object, "apiVersion")) {
      return &kind;
    }
  }
  for (const auto& [resource, kind] : kinds) {
    if (wire::find_string(kind.base, "kind") == wire::find_string(object, "kind")) return &kind;
  }
  return nullptr;
}

// What every cluster with controllers puts into a namespace by itself.
bool is_background(const json::object& object) {
  const std::string_view kind = wire::find_string(object, "kind");
  const std::string_view name = wire::find_string(object, "metadata.name");
  return (kind == "ConfigMap" && name == "kube-root-ca.crt") ||
         (kind == "ServiceAccount" && name == "default");
}

bool is_initial_end(const json::object& event) {
  const json::object* notes = wire::find_object(event, "object.metadata.annotations");
  return notes && notes->contains("k8s.io/initial-events-end");
}

}  // namespace

StepText describe_step(const json::object& step, const Kinds& kinds) {
  const std::string verb(verb_of(step));
  if (verb.empty()) return {};
  StepText text{verb, {}};
  const json::value& subject = step.at(verb);
  if (subject.is_string()) {
    text.resource = subject.as_string();
    if (verb != "request") text.resource = text.resource.substr(0, text.resource.find('/'));
  } else if (subject.is_object()) {
    const Kind* kind = kind_of(kinds, subject.as_object());
    text.resource = kind ? kind->resource : "unknown";
  }
  if (const std::string_view sub = wire::find_string(step, "sub"); !sub.empty()) {
    text.resource += "/" + std::string(sub);
  }
  return text;
}

Player::Player(io::Transport& transport, io::Loop& loop, const Kinds& kinds, std::string ns)
    : transport_(&transport), loop_(&loop), kinds_(&kinds) {
  variables_["ns"] = std::move(ns);
}

std::string Player::filled(std::string text) const {
  for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", at)) {
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) break;
    const auto found = variables_.find(text.substr(at + 2, end - at - 2));
    const std::string value = found == variables_.end() ? "" : found->second;
    text.replace(at, end + 1 - at, value);
    at += value.size();
  }
  return text;
}

json::value Player::filled(const json::value& value) const {
  if (value.is_string()) return json::value(filled(std::string(value.as_string())));
  if (value.is_array()) {
    json::array result;
    for (const json::value& item : value.as_array()) result.push_back(filled(item));
    return json::value(std::move(result));
  }
  if (!value.is_object()) return value;
  json::object result;
  for (const auto& [key, member] : value.as_object()) {
    result[filled(std::string(key))] = filled(member);
  }
  return json::value(std::move(result));
}

Result<io::HttpRequest> Player::request_of(const json::object& step) const {
  const std::string verb(verb_of(step));
  io::HttpRequest request;
  wire::Query query;
  std::string path;
  const json::value* body = step.if_contains("body");
  if (verb == "request") {
    const std::string line(step.at(verb).as_string());
    const auto space = line.find(' ');
    request.method = line.substr(0, space);
    path = line.substr(space + 1);
  } else {
    const json::value& subject = step.at(verb);
    const Kind* kind = nullptr;
    std::string name;
    if (subject.is_object()) {
      kind = kind_of(*kinds_, subject.as_object());
      name = wire::find_string(subject.as_object(), "metadata.name");
      body = &subject;
    } else {
      const std::string text(subject.as_string());
      const auto slash = text.find('/');
      const auto found = kinds_->find(text.substr(0, slash));
      kind = found == kinds_->end() ? nullptr : &found->second;
      if (kind && slash != std::string::npos) {
        name = kind->name(variables_.at("ns"), text.substr(slash + 1));
      }
    }
    if (!kind) return fail(Code::kInvalid, "no such kind: " + json::serialize(subject));
    if (const std::string_view at = wire::find_string(step, "at"); !at.empty()) {
      name = kind->name(variables_.at("ns"), std::string(at));
    }
    const std::string_view other = wire::find_string(step, "in");
    path = kind->collection(other.empty() ? variables_.at("ns") : std::string(other));
    const bool of_collection =
        verb == "create" || verb == "list" || verb == "watch" || verb == "delete_all";
    const bool created_inside = verb == "create" && step.contains("sub");
    if (!of_collection || created_inside) path += "/" + name;
  }
  if (const std::string_view sub = wire::find_string(step, "sub"); !sub.empty()) {
    path += "/" + std::string(sub);
  }
  const auto method = [&]() -> std::string {
    if (verb == "create") return "POST";
    if (verb == "update") return "PUT";
    if (verb == "delete" || verb == "delete_all") return "DELETE";
    if (verb == "apply" || verb == "merge" || verb == "json" || verb == "strategic") return "PATCH";
    return "GET";
  };
  if (verb != "request") request.method = method();
  std::string type = "application/json";
  if (verb == "apply") type = "application/apply-patch+yaml";
  if (verb == "merge") type = "application/merge-patch+json";
  if (verb == "json") type = "application/json-patch+json";
  if (verb == "strategic") type = "application/strategic-merge-patch+json";
  if (const std::string_view given = wire::find_string(step, "type"); !given.empty()) type = given;
  if (verb == "watch") query.emplace_back("watch", "true");
  if (const json::object* more = wire::find_object(step, "query")) {
    for (const auto& [key, value] : *more) {
      query.emplace_back(
          key, value.is_string() ? std::string(value.as_string()) : json::serialize(value));
    }
  }
  const bool writes = request.method != "GET";
  std::string_view manager = wire::find_string(step, "manager");
  if (manager.empty() && verb != "request") manager = "tester";
  if (writes && !manager.empty() && manager != "none" && request.method != "DELETE") {
    query.emplace_back("fieldManager", manager);
  }
  if (const json::value* force = step.if_contains("force")) {
    query.emplace_back("force", json::serialize(*force));
  }
  if (wire::find_bool(step, "dry", false)) query.emplace_back("dryRun", "All");
  if (const std::string_view strict = wire::find_string(step, "validation"); !strict.empty()) {
    query.emplace_back("fieldValidation", strict);
  }
  const std::string encoded = wire::encode_query(query);
  request.target = path;
  if (!encoded.empty()) {
    request.target += path.contains('?') ? "&" + encoded.substr(1) : encoded;
  }
  if (body && writes) {
    request.body = body->is_string() ? std::string(body->as_string()) : json::serialize(*body);
    request.headers.emplace_back("Content-Type", type);
  }
  const std::string_view accept = wire::find_string(step, "accept");
  request.headers.emplace_back("Accept", accept.empty() ? "application/json" : accept);
  return request;
}

io::Task<Result<io::HttpResponse>> Player::send(io::HttpRequest request) {
  co_return co_await transport_->send(std::move(request),
                                      {loop_->now() + std::chrono::seconds(30)});
}

io::Task<bool> Player::make_namespace() {
  const std::string ns = variables_.at("ns");
  io::HttpRequest request{
      .method = "POST",
      .target = "/api/v1/namespaces",
      .headers = {{"Content-Type", "application/json"}},
      .body = json::serialize(json::object{
          {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", json::object{{"name", ns}}}})};
  auto made = co_await send(request);
  // Pods are admitted only where this account is; a controller makes it, where one runs.
  request.target = "/api/v1/namespaces/" + ns + "/serviceaccounts";
  request.body = R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default"}})";
  auto account = co_await send(request);
  co_return made && made->status == 201 && account &&
      (account->status == 201 || account->status == 409);
}

void Player::keep(const json::object& step, const json::value& body) {
  const json::object* wanted = wire::find_object(step, "keep");
  if (!wanted) return;
  for (const auto& [name, pointer] : *wanted) {
    boost::system::error_code error;
    const json::value* at = body.find_pointer(pointer.as_string(), error);
    std::string text;
    if (at && at->is_string()) {
      text = at->as_string();
    } else if (at) {
      text = json::serialize(*at);
    }
    variables_[name] = std::move(text);
  }
}

bool Player::is_foreign(const json::object& step, const json::object& object) const {
  const json::value* subject = step.if_contains(verb_of(step));
  const json::value* watched = step.if_contains("of");
  const std::string resource(watched                           ? watched->as_string()
                             : subject && subject->is_string() ? subject->as_string()
                                                               : std::string_view());
  const auto kind = kinds_->find(resource);
  if (kind == kinds_->end() || !kind->second.cluster) return false;
  return !wire::find_string(object, "metadata.name").starts_with(variables_.at("ns") + "-");
}

void Player::drop_foreign(const json::object& step, json::value& body) const {
  if (!step.contains("list") || !body.is_object()) return;
  json::value* items = body.as_object().if_contains("items");
  if (!items || !items->is_array()) return;
  json::array own;
  for (json::value& item : items->as_array()) {
    if (item.is_object() && !is_foreign(step, item.as_object())) own.push_back(std::move(item));
  }
  items->as_array() = std::move(own);
}

io::Task<json::object> Player::exchange(json::object step) {
  auto request = request_of(step);
  if (!request) co_return json::object{{"failed", request.error().describe()}};
  const json::object* until = wire::find_object(step, "until");
  const Monotonic end = loop_->now() + kPatience;
  for (;;) {
    auto answer = co_await send(*request);
    if (!answer) co_return json::object{{"failed", answer.error().describe()}};
    auto parsed = wire::parse_json(answer->body);
    json::value body = parsed ? std::move(*parsed) : json::value(answer->body);
    drop_foreign(step, body);
    bool there = true;
    if (until) {
      for (const auto& [pointer, wanted] : *until) {
        if (pointer == "code") {
          there = there && wanted == json::value(answer->status);
          continue;
        }
        boost::system::error_code error;
        const json::value* at = body.find_pointer(pointer, error);
        there = there && (at ? *at == wanted : wanted.is_null());
      }
      if (!there && loop_->now() < end) {
        co_await io::sleep_for(*loop_, kPollInterval);
        continue;
      }
    }
    keep(step, body);
    json::object note{{"code", answer->status}, {"body", normalise_(body)}};
    json::array warnings;
    for (const auto& [name, value] : answer->headers) {
      if (name == "Warning" || name == "warning") warnings.emplace_back(value);
    }
    if (!warnings.empty()) note["warnings"] = std::move(warnings);
    if (!there) note["waited in vain"] = true;
    co_return note;
  }
}

io::Task<json::object> Player::open(json::object step) {
  auto request = request_of(step);
  if (!request) co_return json::object{{"failed", request.error().describe()}};
  auto answer = co_await transport_->open(*request, {loop_->now() + std::chrono::seconds(30)});
  if (!answer) co_return json::object{{"failed", answer.error().describe()}};
  json::object note{{"code", answer->status}};
  if (answer->status != 200) {
    std::string body;
    for (;;) {
      auto piece = co_await answer->body->read({loop_->now() + kStreamPatience});
      if (!piece || piece->empty()) break;
      body += *piece;
    }
    auto parsed = wire::parse_json(body);
    note["body"] = normalise_(parsed ? *parsed : json::value(body));
    co_return note;
  }
  Stream stream;
  stream.body = std::move(answer->body);
  stream.resource = step.at("watch").as_string();
  streams_[std::string(wire::find_string(step, "as", "w"))] = std::move(stream);
  co_return note;
}

io::Task<json::object> Player::events(json::object step) {
  const std::string name(step.at("events").as_string());
  const auto found = streams_.find(name);
  if (found == streams_.end()) co_return json::object{{"failed", "no such stream"}};
  Stream& stream = found->second;
  const json::object* until = wire::find_object(step, "until");
  const std::string_view type = until ? wire::find_string(*until, "type") : "";
  const std::string last(until ? wire::find_string(*until, "name") : "");
  json::array seen;
  bool there = false;
  std::string ended;
  while (!there) {
    const auto newline = stream.rest.find('\n');
    if (newline == std::string::npos) {
      if (stream.ended) break;
      auto piece = co_await stream.body->read({loop_->now() + kStreamPatience});
      if (!piece && piece.error().code() == Code::kDeadlineExceeded) break;
      if (!piece || piece->empty()) {
        stream.ended = true;
        ended = "ended";
        there = type == "END";
        break;
      }
      stream.rest += *piece;
      continue;
    }
    auto parsed = wire::parse_json_object(std::string_view(stream.rest).substr(0, newline));
    stream.rest.erase(0, newline + 1);
    if (!parsed) co_return json::object{{"failed", "a line of the stream is no object"}};
    const std::string_view got = wire::find_string(*parsed, "type");
    const json::object* object = wire::find_object(*parsed, "object");
    if (object && is_background(*object)) continue;
    if (object && got != "BOOKMARK" && got != "ERROR" &&
        is_foreign({{"of", stream.resource}}, *object)) {
      continue;
    }
    // Bookmarks come when the server likes, but for the one after the initial events.
    if (got == "BOOKMARK" && type != "BOOKMARK" && !is_initial_end(*parsed)) continue;
    const std::string_view name_of_it = object ? wire::find_string(*object, "metadata.name") : "";
    there = got == type &&
            (last.empty() || name_of_it == last || name_of_it == variables_.at("ns") + "-" + last);
    if (object) keep(step, *object);
    json::object normal = normalise_(*parsed).as_object();
    if (got == "BOOKMARK")
      wire::ensure_object(normal, "object.metadata")["resourceVersion"] = "<list version>";
    seen.emplace_back(std::move(normal));
  }
  json::object note{{"events", std::move(seen)}};
  if (!ended.empty()) note["stream"] = ended;
  if (until && !there) note["waited in vain"] = true;
  co_return note;
}

io::Task<json::object> Player::step(json::object written) {
  const std::string_view verb = verb_of(written);
  if (verb.empty()) co_return json::object{{"failed", "a step without a verb"}};
  json::object filled_step = filled(json::value(written)).as_object();
  if (verb == "watch") co_return co_await open(std::move(filled_step));
  if (verb == "events") co_return co_await events(std::move(filled_step));
  co_return co_await exchange(std::move(filled_step));
}

io::Task<std::vector<json::object>> Player::play(Script script) {
  std::vector<json::object> notes;
  if (!co_await make_namespace()) {
    notes.push_back({{"failed", "the namespace could not be made"}});
    co_return notes;
  }
  for (const json::object& written : script.steps) {
    notes.push_back(co_await step(written));
    if (notes.back().contains("failed")) break;
  }
  streams_.clear();
  co_return notes;
}

}  // namespace davit::sim::differential
