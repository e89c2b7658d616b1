#include "sim/life/shrink.hpp"

#include <algorithm>

#include "wire/duration.hpp"

namespace davit::sim {

namespace {

class Shrinker {
 public:
  Shrinker(Schedule best, const StillFails& still_fails, std::size_t limit)
      : best_(std::move(best)), still_fails_(&still_fails), limit_(limit) {}

  ShrinkReport shrink() {
    bool smaller = true;
    while (smaller && tries_ < limit_) {
      smaller = drop_steps();
      smaller = plainer_steps() || smaller;
      smaller = plainer_life() || smaller;
    }
    return {std::move(best_), tries_};
  }

 private:
  bool accept(const Schedule& candidate) {
    if (tries_ >= limit_) return false;
    ++tries_;
    if (!(*still_fails_)(candidate)) return false;
    best_ = candidate;
    return true;
  }

  // Leaves out half of the steps, then quarters, … then single ones, while it still fails.
  bool drop_steps() {
    bool any = false;
    for (std::size_t size = std::max<std::size_t>(1, best_.steps.size() / 2);; size /= 2) {
      for (std::size_t from = 0; from < best_.steps.size() && tries_ < limit_;) {
        Schedule candidate = best_;
        const auto begin = candidate.steps.begin() + static_cast<std::ptrdiff_t>(from);
        const auto end = candidate.steps.begin() +
                         static_cast<std::ptrdiff_t>(std::min(from + size, candidate.steps.size()));
        candidate.steps.erase(begin, end);
        if (accept(candidate)) {
          any = true;
        } else {
          from += size;
        }
      }
      if (size <= 1) return any;
    }
  }

  bool try_step(std::size_t n, const std::function<bool(Step&)>& change) {
    Schedule candidate = best_;
    if (!change(candidate.steps[n])) return false;
    return accept(candidate);
  }

  bool plainer_steps() {
    bool any = false;
    for (std::size_t n = 0; n < best_.steps.size(); ++n) {
      // Members that need not be said.
      const json::object with = best_.steps[n].with;
      for (const auto& [name, value] : with) {
        const std::string member(name);
        any = try_step(n, [&](Step& step) { return step.with.erase(member) > 0; }) || any;
        any = try_step(n, [&](Step& step) { return shorter(step.with, member); }) || any;
      }
      any = try_step(n,
                     [](Step& step) {
                       const Duration whole = std::chrono::floor<std::chrono::seconds>(step.at);
                       return std::exchange(step.at, whole) != whole;
                     }) ||
            any;
    }
    return any;
  }

  // Numbers to 1, durations to half.
  static bool shorter(json::object& with, const std::string& member) {
    json::value* value = with.if_contains(member);
    if (value == nullptr) return false;
    if (value->is_int64() && value->get_int64() > 1) {
      *value = 1;
      return true;
    }
    if (!value->is_string()) return false;
    const auto time = wire::parse_duration(std::string_view(value->get_string()));
    if (!time || *time < std::chrono::seconds(2)) return false;
    *value = wire::format_duration(std::chrono::floor<std::chrono::seconds>(*time / 2));
    return true;
  }

  bool plainer_life() {
    bool any = false;
    if (best_.replicas > 1) {
      Schedule candidate = best_;
      candidate.replicas = 1;
      any = accept(candidate);
    }
    const Duration last = best_.steps.empty() ? Duration{0} : best_.steps.back().at;
    for (const Duration length :
         {last + std::chrono::seconds(1), last + std::chrono::seconds(60), best_.length / 2}) {
      if (length >= best_.length || length < last) continue;
      Schedule candidate = best_;
      candidate.length = std::chrono::floor<std::chrono::seconds>(length);
      if (candidate.length < last) continue;
      if (accept(candidate)) return true;
    }
    return any;
  }

  Schedule best_;
  const StillFails* still_fails_;
  std::size_t limit_;
  std::size_t tries_ = 0;
};

}  // namespace

ShrinkReport shrink(const Schedule& schedule, const StillFails& still_fails, std::size_t limit) {
  return Shrinker(schedule, still_fails, limit).shrink();
}

}  // namespace davit::sim
