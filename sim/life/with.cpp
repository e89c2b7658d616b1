#include "sim/life/with.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/life/contains.hpp"
#include "wire/duration.hpp"

namespace davit::sim {

namespace {

// Edits between two words: insertions, deletions, replacements.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, cost}));
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view wrong, std::span<const std::string_view> names) {
  std::string_view best;
  std::size_t least = std::max<std::size_t>(2, wrong.size() / 2);
  for (const std::string_view name : names) {
    const std::size_t edits = distance(wrong, name);
    if (edits <= least && (best.empty() || edits < least)) {
      best = name;
      least = edits;
    }
  }
  return std::string(best);
}

const json::value* With::find(std::string_view name) {
  known_.push_back(name);
  return step_->with.if_contains(name);
}

void With::wrong(std::string_view name, std::string_view found, std::string allowed) {
  if (!problem_.empty()) return;
  problem_ =
      fmt::format("with.{} of \"{}\" is {}; it must be {}", name, step_->act, found, allowed);
}

std::string With::text(std::string_view name, std::string fallback) {
  const json::value* value = find(name);
  if (value == nullptr) return fallback;
  if (value->is_string()) return std::string(value->get_string());
  if (value->is_int64()) return std::to_string(value->get_int64());
  wrong(name, json::serialize(*value), "a text");
  return fallback;
}

std::string With::choice(std::string_view name, std::initializer_list<std::string_view> allowed) {
  std::string value = text(name, std::string(*allowed.begin()));
  if (contains(allowed, std::string_view(value))) return value;
  const std::string near = nearest(value, std::span(allowed.begin(), allowed.size()));
  wrong(name, fmt::format("\"{}\"", value),
        fmt::format("one of {}{}", fmt::join(allowed, ", "),
                    near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near)));
  return std::string(*allowed.begin());
}

Duration With::duration(std::string_view name, Duration fallback) {
  const json::value* value = find(name);
  if (value == nullptr) return fallback;
  const json::string* given = value->if_string();
  const Result<Duration> parsed =
      given == nullptr ? fail(Code::kInvalid, "") : wire::parse_duration(std::string_view(*given));
  if (parsed) return *parsed;
  wrong(name, json::serialize(*value), "a duration such as 20s or 1m30s");
  return fallback;
}

std::int64_t With::number(std::string_view name, std::int64_t fallback, std::int64_t least) {
  const json::value* value = find(name);
  if (value == nullptr) return fallback;
  if (value->is_int64() && value->get_int64() >= least) return value->get_int64();
  wrong(name, json::serialize(*value), fmt::format("a whole number from {}", least));
  return fallback;
}

double With::share(std::string_view name, double fallback) {
  const json::value* value = find(name);
  if (value == nullptr) return fallback;
  if (value->is_number()) {
    const double given = value->to_number<double>();
    if (given >= 0 && given <= 1) return given;
  }
  wrong(name, json::serialize(*value), "a share from 0 to 1");
  return fallback;
}

bool With::flag(std::string_view name, bool fallback) {
  const json::value* value = find(name);
  if (value == nullptr) return fallback;
  if (value->is_bool()) return value->get_bool();
  wrong(name, json::serialize(*value), "true or false");
  return fallback;
}

json::object With::object(std::string_view name) {
  const json::value* value = find(name);
  if (value == nullptr) return {};
  if (value->is_object()) return value->get_object();
  wrong(name, json::serialize(*value), "an object");
  return {};
}

Status With::done() const {
  if (!problem_.empty()) return fail(Code::kInvalid, problem_);
  if (all_) return {};
  for (const auto& [name, value] : step_->with) {
    if (contains(known_, std::string_view(name))) continue;
    const std::string near = nearest(name, known_);
    return fail(Code::kInvalid,
                fmt::format("\"{}\" does not take with.{}; it takes {}{}", step_->act,
                            std::string_view(name),
                            known_.empty() ? "nothing" : fmt::format("{}", fmt::join(known_, ", ")),
                            near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near)));
  }
  return {};
}

}  // namespace davit::sim
