// Of the last ten minutes, which nothing disturbed. Leases are renewed and reviews are made; a
// status may be brought up to date twice where heights or use move by themselves; a write that the
// server refuses may be tried again every few minutes.
#include <fmt/format.h>

#include <deque>
#include <map>

#include "operands/blocknode/types.hpp"
#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

constexpr Duration kWindow = std::chrono::minutes(10);
constexpr int kVolatileWrites = 3;
constexpr int kRefusedWrites = 6;
constexpr std::size_t kReads = 150;
constexpr std::size_t kReadsPerNode = 60;

class QuietIsSilent final : public Judge {
 public:
  std::string_view name() const override { return "QuietIsSilent"; }
  std::string_view rule() const override {
    return "Rule 5: a quiet cluster sees no request of Davit but reads, watches, lease renewals "
           "and "
           "reviews, and few of those.";
  }

  void saw(World& /*world*/, const ChangeSeen& change) override {
    if (change.by_davit && change.only_volatile) last_volatile_ = change.cause->number;
  }

  void saw(World& world, const RequestSeen& request) override {
    const RequestInfo& info = *request.info;
    if (!World::is_davit(info.user) || info.resource == "leases.coordination.k8s.io") return;
    const Monotonic now = world.loop.now();
    if (info.is_write) {
      writes_.push_back(
          {now, facts::name_of(info), facts::failed(request), info.number == last_volatile_});
      while (now - writes_.front().at > kWindow) writes_.pop_front();
    } else {
      reads_.push_back(now);
      while (now - reads_.front() > kWindow) reads_.pop_front();
    }
  }

  void at_end(World& world) override {
    const Monotonic begin = world.loop.now() + (Duration{0} - kWindow);
    std::map<std::string, int> refused, moved;
    for (const Write& write : writes_) {
      if (write.at <= begin) continue;
      if (write.only_volatile && ++moved[write.name] <= kVolatileWrites) continue;
      if (write.refused && ++refused[write.name] <= kRefusedWrites) continue;
      object(world, fmt::format("{} while nothing happened", write.name));
    }
    const auto reads = static_cast<std::size_t>(
        std::ranges::count_if(reads_, [&](Monotonic at) { return at > begin; }));
    const std::size_t limit = kReads + (kReadsPerNode * world.all(blocknode::kBlockNodes).size());
    if (reads > limit) {
      object(world, fmt::format("{} reads in ten minutes in which nothing happened (at most {})",
                                reads, limit));
    }
  }

 private:
  struct Write {
    Monotonic at;
    std::string name;
    bool refused = false;
    bool only_volatile = false;
  };
  std::deque<Write> writes_;
  std::deque<Monotonic> reads_;
  std::uint64_t last_volatile_ = 0;
};

}  // namespace

std::unique_ptr<Judge> quiet_is_silent() { return std::make_unique<QuietIsSilent>(); }

}  // namespace davit::sim
