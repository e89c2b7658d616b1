#include "sim/life/trace.hpp"

#include <fmt/format.h>

#include "sim/life/network.hpp"

namespace davit::sim {

namespace {

double seconds_of(Monotonic when) {
  return std::chrono::duration<double>(when.since_epoch).count();
}

// What of an object a reader wants to know: its kind's few telling fields.
std::string telling(const json::object& object) {
  std::string out;
  for (const char* path : {"status.phase", "spec.version", "spec.nodeName", "spec.volumeName",
                           "metadata.deletionTimestamp", "reason", "note"}) {
    if (const std::string_view text = wire::find_string(object, path); !text.empty()) {
      out += fmt::format(" {}={}", path, text);
    }
  }
  return out;
}

std::string words(const json::object& object) {
  std::string out;
  const json::array* conditions = wire::find_array(object, "status.conditions");
  if (conditions == nullptr) return out;
  for (const json::value& value : *conditions) {
    const json::object* c = value.if_object();
    if (c == nullptr) continue;
    out += fmt::format("{}{}={}/{}", out.empty() ? "" : " ", wire::find_string(*c, "type"),
                       wire::find_string(*c, "status"), wire::find_string(*c, "reason"));
  }
  return out;
}

std::string_view verb_in_words(const RequestInfo& info) {
  if (info.verb == "create") return "created";
  if (info.verb == "delete") return "deleted";
  return "wrote";
}

std::string what_happened(Trouble kind, const RequestInfo& info) {
  const std::string what = fmt::format("{} {} {}", info.verb, info.resource, info.key.to_string());
  switch (kind) {
    case Trouble::kLoseReply:
      return fmt::format("{} lost the reply to its {}", info.user, what);
    case Trouble::kFailBefore:
      return fmt::format("{}'s {} did not reach the server", info.user, what);
    case Trouble::kDelay:
      return fmt::format("{}'s {} was slow", info.user, what);
    default:
      return fmt::format("{}'s {} was refused ({})", info.user, what, to_string(kind));
  }
}

}  // namespace

void Trace::attach(World& world) {
  world_ = &world;
  world.on_log([this](std::string_view text) { line(fmt::format("log {}", text)); });
  world.on_process([this](std::string_view what) {
    line(std::string(what));
    sentence(fmt::format("{}.", what));
  });
  world.network.on_hit([this](const RequestInfo& info, Trouble kind) {
    line(fmt::format("! {}", what_happened(kind, info)));
    sentence(fmt::format("{}.", what_happened(kind, info)));
  });
  world.server.on_request([this](const RequestInfo& info, const io::HttpRequest& sent,
                                 const io::HttpResponse* response) {
    if (world_ != nullptr) request(info, sent, response);
  });
  world.server.store().on_event([this](const StoredEvent& event) {
    if (world_ != nullptr) change(event);
  });
}

void Trace::line(std::string text) {
  if (world_ == nullptr) return;
  lines_.push_back(fmt::format("{:>11.3f} s {}", seconds_of(world_->loop.now()), text));
  if (lines_.size() > limit_) {
    lines_.pop_front();
    ++dropped_;
  }
}

void Trace::sentence(std::string text) {
  if (world_ == nullptr) return;
  story_.push_back(fmt::format("At {:.1f} s {}", seconds_of(world_->loop.now()), text));
  if (story_.size() > limit_) story_.pop_front();
}

void Trace::step(const Step& step) {
  line(fmt::format("* {} {} {}", step.act, step.object,
                   step.with.empty() ? std::string() : json::serialize(step.with)));
  sentence(sentence_of(step) + ".");
}

void Trace::refused(const Error& error) { line(fmt::format("  refused: {}", error.message())); }

void Trace::say(std::string_view text) {
  line(fmt::format("* {}", text));
  sentence(fmt::format("{}.", text));
}

void Trace::request(const RequestInfo& info, const io::HttpRequest& sent,
                    const io::HttpResponse* response) {
  line(fmt::format("{} {} {} {} {}", info.user, info.verb,
                   info.resource.empty() ? sent.target : info.resource, info.key.to_string(),
                   response == nullptr ? "no answer" : std::to_string(response->status)));
  if (!info.is_write || !World::is_davit(info.user)) return;
  if (!sent.body.empty()) line(fmt::format("    {}", sent.body.substr(0, 2000)));
  if (response != nullptr && response->status >= 300) {
    line(fmt::format("    -> {}", response->body.substr(0, 400)));
  }
  if (info.resource.starts_with("leases") || info.resource.starts_with("events")) return;
  sentence(response != nullptr && response->status < 300
               ? fmt::format("{} {} {} {}.", info.user, verb_in_words(info), info.resource,
                             info.key.to_string())
               : fmt::format("{} could not {} {} {} ({}).", info.user, info.verb, info.resource,
                             info.key.to_string(),
                             response == nullptr ? "no answer" : std::to_string(response->status)));
}

void Trace::change(const StoredEvent& event) {
  const std::string& plural = event.type->plural;
  if (plural == "leases") return;
  const Object& object = event.after ? event.after : event.before;
  const RequestInfo* cause = world_->server.current();
  line(fmt::format("  = {} {} v{} {}{}{}", plural, event.key.to_string(), event.version,
                   !event.before  ? "made"
                   : !event.after ? "gone"
                                  : "changed",
                   cause == nullptr ? "" : " by " + cause->user, telling(*object)));
  if (plural == "pods" && (!event.before || !event.after)) {
    sentence(
        fmt::format("pod {} {}.", event.key.to_string(), event.after ? "was made" : "is gone"));
  }
  if (plural != "blocknodes") return;
  const std::string now = event.after ? words(*event.after) : std::string();
  if (now.empty() || (event.before && words(*event.before) == now)) return;
  line(fmt::format("    says {}", now));
  sentence(fmt::format("the status of {} says {}.", event.key.to_string(), now));
}

std::string Trace::lines() const {
  std::string out;
  if (dropped_ > 0) out += fmt::format("({} earlier lines are left out)\n", dropped_);
  for (const std::string& text : lines_) out += text + "\n";
  return out;
}

std::string Trace::story() const {
  std::string out;
  for (const std::string& text : story_) out += text + "\n";
  return out;
}

}  // namespace davit::sim
