// Random: the only source of chance, so that one seed replays a whole run.
#pragma once

#include <cstdint>

namespace davit {

class Random {
 public:
  virtual ~Random() = default;
  [[nodiscard]] virtual std::uint64_t next() = 0;

  // Uniform in [0, bound); 0 when bound is 0. The bias of the modulo is below 2^-32 for our bounds.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : next() % bound; }
  // Uniform in [0, 1).
  [[nodiscard]] double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
};

// SplitMix64: small, fast, replayable. Not for secrets.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] std::uint64_t next() override;

 private:
  std::uint64_t state_;
};

// A seed from the operating system's entropy.
[[nodiscard]] std::uint64_t entropy_seed();

}  // namespace davit
