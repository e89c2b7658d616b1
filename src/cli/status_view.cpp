#include "cli/status_view.hpp"

#include <fmt/format.h>

#include <charconv>

#include "kube/resource.hpp"

namespace davit::cli {

namespace {

int digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = -1;
  if (at + count <= text.size()) {
    std::from_chars(text.data() + at, text.data() + at + count, value);
  }
  return value;
}

std::string age_text(std::string_view time, WallTime now) {
  const auto age = age_of(time, now);
  return age ? human_age(*age) : "-";
}

std::string number_or_dash(const json::object& object, std::string_view path) {
  const auto value = wire::find_int(object, path);
  return value ? std::to_string(*value) : "-";
}

const json::object* ready_of(const json::object& node) {
  const json::array* conditions = wire::find_array(node, "status.conditions");
  if (conditions == nullptr) return nullptr;
  for (const json::value& condition : *conditions) {
    if (condition.is_object() && wire::find_string(condition.get_object(), "type") == "Ready") {
      return &condition.get_object();
    }
  }
  return nullptr;
}

void head(std::string& out, const json::object& node, WallTime now) {
  const ObjectKey key = kube::key_of(node);
  out += fmt::format("BlockNode {}\n", key.to_string());
  if (const json::object* ready = ready_of(node)) {
    out += fmt::format("  Ready      {} {} ({})\n             {}\n",
                       wire::find_string(*ready, "status"), wire::find_string(*ready, "reason"),
                       age_text(wire::find_string(*ready, "lastTransitionTime"), now),
                       wire::find_string(*ready, "message"));
  } else {
    out +=
        "  Ready      Unknown: Davit has not looked at this node yet. Is it running? "
        "kubectl get deploy -n davit-system davit\n";
  }
  out +=
      fmt::format("  Version    {} wanted, {} running\n", wire::find_string(node, "spec.version"),
                  wire::find_string(node, "status.version", "none"));
  out += fmt::format("  Blocks     {} to {}, {} ago\n", number_or_dash(node, "status.firstBlock"),
                     number_or_dash(node, "status.lastBlock"),
                     age_text(wire::find_string(node, "status.asOf"), now));
  out += fmt::format("  Endpoint   {}\n", wire::find_string(node, "status.endpoint", "-"));
  if (const auto error = wire::find_string(node, "status.lastError"); !error.empty()) {
    out += fmt::format("  Last error {}\n", error);
  }
}

void conditions(std::string& out, const json::object& node, WallTime now) {
  const json::array* all = wire::find_array(node, "status.conditions");
  if (all == nullptr) return;
  out += "\nCONDITION             STATUS   AGE   REASON: MESSAGE\n";
  for (const json::value& value : *all) {
    if (!value.is_object()) continue;
    const json::object& condition = value.get_object();
    out += fmt::format("{:<21} {:<8} {:<5} {}: {}\n", wire::find_string(condition, "type"),
                       wire::find_string(condition, "status"),
                       age_text(wire::find_string(condition, "lastTransitionTime"), now),
                       wire::find_string(condition, "reason"),
                       wire::find_string(condition, "message"));
  }
}

void volumes(std::string& out, const json::object& node, const std::vector<json::object>& claims) {
  const json::array* all = wire::find_array(node, "status.volumes");
  if (all == nullptr || all->empty()) return;
  out += "\nVOLUME             CLAIM                            PHASE    SIZE     USED  CLASS\n";
  for (const json::value& value : *all) {
    if (!value.is_object()) continue;
    const json::object& volume = value.get_object();
    const std::string claim(wire::find_string(volume, "claim"));
    std::string_view storage_class = "-";
    for (const json::object& object : claims) {
      if (kube::key_of(object).name == claim) {
        storage_class = wire::find_string(object, "spec.storageClassName", "-");
      }
    }
    const auto used = wire::find_int(volume, "usedPercent");
    out += fmt::format("{:<18} {:<32} {:<8} {:<8} {:<5} {}\n", wire::find_string(volume, "name"),
                       claim, wire::find_string(volume, "phase", "-"),
                       wire::find_string(volume, "size", "-"),
                       used ? fmt::format("{}%", *used) : "-", storage_class);
  }
}

void pods(std::string& out, const std::vector<json::object>& all, WallTime now) {
  out += "\nPOD                              PHASE     NODE             RESTARTS  AGE\n";
  if (all.empty()) out += "none\n";
  for (const json::object& pod : all) {
    std::int64_t restarts = 0;
    if (const json::array* statuses = wire::find_array(pod, "status.containerStatuses")) {
      for (const json::value& status : *statuses) {
        if (status.is_object()) {
          restarts += wire::find_int(status.get_object(), "restartCount").value_or(0);
        }
      }
    }
    out += fmt::format("{:<32} {:<9} {:<16} {:<9} {}\n", kube::key_of(pod).name,
                       wire::find_string(pod, "status.phase", "-"),
                       wire::find_string(pod, "spec.nodeName", "-"), restarts,
                       age_text(wire::find_string(pod, "metadata.creationTimestamp"), now));
  }
}

void events(std::string& out, const std::vector<json::object>& all, WallTime now) {
  if (all.empty()) return;
  out += "\nEVENT   AGE   REASON: NOTE\n";
  constexpr std::size_t kShown = 8;
  for (std::size_t i = all.size() > kShown ? all.size() - kShown : 0; i < all.size(); ++i) {
    out += fmt::format("{:<7} {:<5} {}: {}\n", wire::find_string(all[i], "type"),
                       age_text(wire::find_string(all[i], "metadata.creationTimestamp"), now),
                       wire::find_string(all[i], "reason"), wire::find_string(all[i], "note"));
  }
}

}  // namespace

std::string human_age(Duration age) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(age).count();
  if (seconds < 0) return "0s";
  if (seconds < 120) return fmt::format("{}s", seconds);
  if (seconds < 7200) return fmt::format("{}m", seconds / 60);
  if (seconds < 172'800) return fmt::format("{}h", seconds / 3600);
  return fmt::format("{}d", seconds / 86'400);
}

std::optional<Duration> age_of(std::string_view time, WallTime now) {
  const int year = digits(time, 0, 4);
  const int month = digits(time, 5, 2);
  const int day = digits(time, 8, 2);
  const int hour = digits(time, 11, 2);
  const int minute = digits(time, 14, 2);
  const int second = digits(time, 17, 2);
  if (year < 0 || month < 1 || day < 1 || hour < 0 || minute < 0 || second < 0) {
    return std::nullopt;
  }
  const std::chrono::sys_days date = std::chrono::year_month_day(
      std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
      std::chrono::day(static_cast<unsigned>(day)));
  return now - (date + std::chrono::hours(hour) + std::chrono::minutes(minute) +
                std::chrono::seconds(second));
}

std::string render_status(const NodeFacts& facts, WallTime now) {
  std::string out;
  head(out, facts.node, now);
  conditions(out, facts.node, now);
  volumes(out, facts.node, facts.claims);
  pods(out, facts.pods, now);
  events(out, facts.events, now);
  return out;
}

}  // namespace davit::cli
