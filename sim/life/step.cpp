#include "sim/life/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/life/contains.hpp"
#include "sim/life/with.hpp"
#include "wire/duration.hpp"
#include "wire/yaml.hpp"

namespace davit::sim {

namespace {

constexpr std::array<std::string_view, 4> kStepMembers{"at", "do", "object", "with"};
constexpr std::array<std::string_view, 4> kMembers{"seed", "replicas", "length", "steps"};

Status only(const json::object& object, std::span<const std::string_view> known,
            std::string_view what) {
  for (const auto& [name, value] : object) {
    if (contains(known, std::string_view(name))) continue;
    const std::string near = nearest(name, known);
    return fail(Code::kInvalid,
                fmt::format("{} has no member \"{}\"{}", what, std::string_view(name),
                            near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near)));
  }
  return {};
}

Result<Duration> duration_at(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (value != nullptr && value->is_string()) {
    if (auto parsed = wire::parse_duration(std::string_view(value->get_string())); parsed) {
      return *parsed;
    }
  }
  return fail(Code::kInvalid, fmt::format("\"{}\" must be a duration such as 40s, not {}", name,
                                          value == nullptr ? "absent" : json::serialize(*value)));
}

std::uint64_t number_at(const json::object& object, std::string_view name, std::uint64_t fallback) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr) return fallback;
  if (value->is_uint64()) return value->get_uint64();
  if (value->is_int64() && value->get_int64() >= 0) {
    return static_cast<std::uint64_t>(value->get_int64());
  }
  return fallback;
}

json::object to_json(const Step& step) {
  json::object out{{"at", wire::format_duration(step.at)}, {"do", step.act}};
  if (!step.object.empty()) out["object"] = step.object;
  if (!step.with.empty()) out["with"] = step.with;
  return out;
}

}  // namespace

std::string to_yaml(const Schedule& schedule) {
  json::array steps;
  for (const Step& step : schedule.steps) steps.push_back(to_json(step));
  return wire::to_yaml(json::object{{"seed", schedule.seed},
                                    {"replicas", schedule.replicas},
                                    {"length", wire::format_duration(schedule.length)},
                                    {"steps", std::move(steps)}});
}

Result<Step> step_from(const json::object& object) {
  if (Status fine = only(object, kStepMembers, "a step"); !fine) return fail(fine.error());
  Result<Duration> at = duration_at(object, "at");
  if (!at) return fail(at.error());
  const std::string_view act = wire::find_string(object, "do");
  if (act.empty()) {
    return fail(Code::kInvalid,
                "a step needs \"do\", the name of an act: " + json::serialize(object));
  }
  Step step{.at = *at, .act = std::string(act), .object = {}, .with = {}};
  step.object = wire::find_string(object, "object");
  if (const json::value* with = object.if_contains("with")) {
    if (!with->is_object()) return fail(Code::kInvalid, "\"with\" of a step must be an object");
    step.with = with->get_object();
  }
  return step;
}

Result<Schedule> schedule_from_yaml(std::string_view text) {
  const auto documents = wire::parse_yaml(text);
  if (!documents) return fail(documents.error());
  if (documents->size() != 1 || !documents->front().is_object()) {
    return fail(Code::kInvalid, "a schedule is one YAML document with seed, length and steps");
  }
  const json::object& object = documents->front().get_object();
  if (Status fine = only(object, kMembers, "a schedule"); !fine) return fail(fine.error());
  Schedule schedule;
  schedule.seed = number_at(object, "seed", 1);
  schedule.replicas = static_cast<unsigned>(number_at(object, "replicas", 1));
  if (schedule.replicas < 1 || schedule.replicas > 8) {
    return fail(Code::kInvalid, "\"replicas\" must be from 1 to 8");
  }
  const Result<Duration> length = duration_at(object, "length");
  if (!length) return fail(length.error());
  schedule.length = *length;
  if (const json::array* steps = wire::find_array(object, "steps")) {
    for (const json::value& value : *steps) {
      if (!value.is_object()) return fail(Code::kInvalid, "each of \"steps\" must be an object");
      Result<Step> step = step_from(value.get_object());
      if (!step) return fail(step.error());
      schedule.steps.push_back(std::move(*step));
    }
  }
  if (!std::ranges::is_sorted(schedule.steps, {}, &Step::at)) {
    return fail(Code::kInvalid, "the steps of a schedule must be in the order of their times");
  }
  return schedule;
}

}  // namespace davit::sim
