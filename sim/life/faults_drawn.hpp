// The faults of a generated life, and the dice that everything in it is drawn with.
#pragma once

#include <string>
#include <vector>

#include "base/random.hpp"
#include "sim/life/step.hpp"

namespace davit::sim {

class Draw {
 public:
  explicit Draw(Random& random) : random_(&random) {}
  [[nodiscard]] bool chance(double share) { return random_->unit() < share; }
  [[nodiscard]] std::size_t index(std::size_t count) { return random_->below(count); }
  // Both ends may come.
  [[nodiscard]] std::int64_t between(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(random_->below(static_cast<std::uint64_t>(most - least + 1)));
  }
  // To a tenth of a second.
  [[nodiscard]] Duration between(Duration least, Duration most) {
    constexpr Duration kTenth = std::chrono::milliseconds(100);
    return least +
           kTenth * between(std::int64_t{0}, std::max<std::int64_t>(0, (most - least) / kTenth));
  }
  [[nodiscard]] std::string time(int least, int most) {
    return std::to_string(between(std::int64_t{least}, std::int64_t{most})) + "s";
  }

 private:
  Random* random_;
};

// Adds faults (3 to 9) and crashes (1 to 3), most of them near what the users do.
void draw_faults(Draw& draw, const std::vector<std::string>& nodes, Schedule& schedule);

}  // namespace davit::sim
