// With: reads what a step carries, member by member, and remembers the first thing that is wrong.
//
//   With with(step);
//   const Duration time = with.duration("for", std::chrono::seconds(20));
//   if (Status wrong = with.done(); !wrong) return wrong;   // also: members nobody asked for
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "sim/life/step.hpp"

namespace davit::sim {

// The name most like `wrong`; empty: none is near.
[[nodiscard]] std::string nearest(std::string_view wrong, std::span<const std::string_view> names);

class With {
 public:
  explicit With(const Step& step) : step_(&step) {}

  [[nodiscard]] bool has(std::string_view name) const { return step_->with.contains(name); }
  std::string text(std::string_view name, std::string fallback = {});
  // One of `allowed`, of which the first is the default.
  std::string choice(std::string_view name, std::initializer_list<std::string_view> allowed);
  Duration duration(std::string_view name, Duration fallback);
  std::int64_t number(std::string_view name, std::int64_t fallback, std::int64_t least = 0);
  double share(std::string_view name, double fallback);
  bool flag(std::string_view name, bool fallback);
  json::object object(std::string_view name);
  // The rest is the act's own affair: no member is unknown.
  void takes_all() { all_ = true; }

  [[nodiscard]] Status done() const;

 private:
  const json::value* find(std::string_view name);
  void wrong(std::string_view name, std::string_view found, std::string allowed);

  const Step* step_;
  std::vector<std::string_view> known_;
  std::string problem_;
  bool all_ = false;
};

}  // namespace davit::sim
