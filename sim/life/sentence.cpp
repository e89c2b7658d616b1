// Steps in words, for --explain.
#include <fmt/format.h>

#include <algorithm>

#include "sim/life/trace.hpp"

namespace davit::sim {

namespace {

std::string member(const Step& step, std::string_view name, std::string fallback) {
  const json::value* value = step.with.if_contains(name);
  if (value == nullptr) return fallback;
  return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
}

std::string name_of(const Step& step) {
  const std::size_t slash = step.object.rfind('/');
  return slash == std::string::npos ? step.object : step.object.substr(slash + 1);
}

std::string lasting(const Step& step, const char* fallback) {
  return fmt::format("for {}", member(step, "for", fallback));
}

std::string filter(const Step& step) {
  const std::string verb = member(step, "verb", "requests");
  const std::string resource = member(step, "resource", "");
  const std::string every = member(step, "every", "1");
  return fmt::format("{}{}{}", every == "1" ? "" : fmt::format("every {}. of ", every), verb,
                     resource.empty() ? "" : " on " + resource);
}

}  // namespace

std::string sentence_of(const Step& step) {
  const std::string name = name_of(step);
  const auto text = [&](std::string_view member_name, const char* fallback) {
    return member(step, member_name, fallback);
  };
  if (step.act == "create") return fmt::format("a user created {}", name);
  if (step.act == "apply") return fmt::format("a user applied {}", name);
  if (step.act == "edit") {
    return fmt::format("a user edited {}: {}", name, json::serialize(step.with));
  }
  if (step.act == "revert") return fmt::format("a user undid the last edit of {}", name);
  if (step.act == "restart") return fmt::format("a user changed a setting of {}", name);
  if (step.act == "grow") {
    return fmt::format("a user grew the volume {} of {} to {}", text("volume", "live"), name,
                       text("to", "6Gi"));
  }
  if (step.act == "upgrade") {
    return fmt::format("a user asked for version {} of {}", text("version", "0.41.0"), name);
  }
  if (step.act == "delete") return fmt::format("somebody deleted {}", step.object);
  if (step.act == "recreate") return fmt::format("a user deleted and recreated {}", name);
  if (step.act == "wipe-status") return fmt::format("the status of {} was wiped", name);
  if (step.act == "stamp") return fmt::format("another controller wrote on {}", step.object);
  if (step.act == "stamp-env") return fmt::format("an injector changed {}", step.object);
  if (step.act == "corrupt") {
    return fmt::format("somebody damaged the {} of {}", text("what", "owner"), step.object);
  }
  if (step.act == "publish") {
    return fmt::format("a publisher began to send {} blocks each {} to {}", text("rate", "2"),
                       text("every", "1s"), name);
  }
  if (step.act == "server") {
    return fmt::format("the server of {} began to fail ({}) {}", name, text("fault", "crash"),
                       lasting(step, "30s"));
  }
  if (step.act == "lie") {
    return fmt::format("the server of {} began to lie ({}) {}", name,
                       text("what", "healthy-while-dead"), lasting(step, "30s"));
  }
  if (step.act == "disk") {
    return fmt::format("the {} disk of {} went {}", text("role", "live"), name,
                       text("what", "full"));
  }
  if (step.act == "fault") {
    return fmt::format("the network began to do harm ({} to {}) {}", text("kind", "error"),
                       filter(step), lasting(step, "20s"));
  }
  if (step.act == "crash") {
    const std::string after = text("after_write", "0");
    return after == "0" ? fmt::format("davit-{} was to be killed", text("replica", "0"))
                        : fmt::format("davit-{} was to be killed after write {} from then",
                                      text("replica", "0"), after);
  }
  const auto act = std::ranges::find(acts(), std::string_view(step.act), &Act::name);
  const std::string help = act == acts().end() ? step.act : std::string(act->help);
  return fmt::format("{} {} {}: {}", step.act, step.object,
                     step.with.empty() ? "" : json::serialize(step.with), help);
}

}  // namespace davit::sim
