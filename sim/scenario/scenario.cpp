#include "sim/scenario/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/life/with.hpp"
#include "sim/scenario/expect.hpp"
#include "wire/duration.hpp"
#include "wire/yaml.hpp"

namespace davit::sim {

namespace {

constexpr std::array<std::string_view, 6> kMembers{"seed", "replicas", "workers",
                                                   "hold", "crashes",  "items"};

std::string first_comment(std::string_view text) {
  std::string title;
  while (text.starts_with("#")) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    std::string_view line = text.substr(1, end - 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    title += (title.empty() ? "" : " ") + std::string(line);
    text.remove_prefix(end + 1);
  }
  return title;
}

Result<Duration> time_of(const json::object& object, std::string_view name, Duration fallback) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr) return fallback;
  if (value->is_string()) {
    if (const auto time = wire::parse_duration(std::string_view(value->get_string()))) return *time;
  }
  return fail(Code::kInvalid, fmt::format("\"{}\" must be a duration such as 40s, not {}", name,
                                          json::serialize(*value)));
}

unsigned count_of(const json::object& object, std::string_view name, unsigned fallback) {
  return static_cast<unsigned>(wire::find_int(object, name).value_or(fallback));
}

Result<Item> item_from(const json::object& object, Duration earliest) {
  const Result<Duration> at = time_of(object, "at", earliest);
  if (!at) return fail(at.error());
  if (*at < earliest) return fail(Code::kInvalid, "it is earlier than the one before");
  if (const json::object* what = wire::find_object(object, "expect")) {
    if (Status fine = check_expectation(*what); !fine) return fail(fine.error());
    return Item{*at, Expectation{*what}};
  }
  if (object.contains("mark")) return Item{*at, Mark{}};
  json::object timed = object;
  timed["at"] = wire::format_duration(*at);
  Result<Step> step = step_from(timed);
  if (!step) return fail(step.error());
  return Item{*at, std::move(*step)};
}

}  // namespace

Result<Scenario> scenario_from_yaml(std::string_view text) {
  const auto documents = wire::parse_yaml(text);
  if (!documents) return fail(documents.error());
  if (documents->size() != 1 || !documents->front().is_object()) {
    return fail(Code::kInvalid, "a scenario is one YAML document with items");
  }
  const json::object& object = documents->front().get_object();
  for (const auto& [name, value] : object) {
    if (std::ranges::find(kMembers, std::string_view(name)) != kMembers.end()) continue;
    const std::string near = nearest(name, kMembers);
    return fail(Code::kInvalid,
                fmt::format("a scenario has no member \"{}\"{}", std::string_view(name),
                            near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near)));
  }
  Scenario scenario;
  scenario.title = first_comment(text);
  scenario.world.seed = count_of(object, "seed", 1);
  scenario.world.replicas = count_of(object, "replicas", 1);
  scenario.world.workers = count_of(object, "workers", 2);
  scenario.crashes = wire::find_bool(object, "crashes", false);
  const Result<Duration> hold = time_of(object, "hold", std::chrono::seconds(60));
  if (!hold) return fail(hold.error());
  scenario.world.hold = *hold;
  const json::array* items = wire::find_array(object, "items");
  if (items == nullptr) return fail(Code::kInvalid, "a scenario needs \"items\"");
  Duration earliest{0};
  for (const json::value& value : *items) {
    const std::size_t number = scenario.items.size() + 1;
    if (!value.is_object()) {
      return fail(Code::kInvalid, fmt::format("item {} is not an object", number));
    }
    Result<Item> item = item_from(value.get_object(), earliest);
    if (!item) {
      return fail(Code::kInvalid, fmt::format("item {}: {}", number, item.error().message()));
    }
    earliest = item->at;
    scenario.items.push_back(std::move(*item));
  }
  return scenario;
}

}  // namespace davit::sim
