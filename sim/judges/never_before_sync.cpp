// A cache counts as filled when a whole list of its kind was answered to this process; as out of
// the question when the list was refused (403, 404): Davit goes on without that kind.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

// What Davit caches (operands/blocknode/informers).
constexpr std::array<std::string_view, 8> kCached{"blocknodes.davit.hiero.org",
                                                  "statefulsets.apps",
                                                  "pods",
                                                  "persistentvolumeclaims",
                                                  "services",
                                                  "configmaps",
                                                  "serviceaccounts",
                                                  "poddisruptionbudgets.policy"};

class NeverBeforeSync final : public Judge {
 public:
  std::string_view name() const override { return "NeverBeforeSync"; }
  std::string_view rule() const override {
    return "Rule 2: Davit writes nothing before each of its caches was filled once.";
  }

  void saw(World& world, const RequestSeen& request) override {
    const RequestInfo& info = *request.info;
    if (!World::is_davit(info.user)) return;
    if (info.verb == "list") return listed(world, request);
    if (!facts::is_work(info)) return;
    Life& life = life_of(world, info.user);
    if (life.accused) return;
    const auto base = facts::base_resource(info);
    for (std::size_t i = 0; i < kCached.size(); ++i) {
      const bool settled = life.filled[i] || (life.refused[i] && kCached[i] != base);
      if (settled) continue;
      life.accused = true;
      object(world,
             fmt::format("{} was sent before {} were listed", facts::name_of(info), kCached[i]));
      return;
    }
  }

 private:
  struct Life {
    std::size_t start = 0;
    std::array<bool, kCached.size()> filled{}, refused{};
    bool accused = false;
  };

  Life& life_of(World& world, const std::string& user) {
    Life& life = lives_[user];
    const std::size_t start = world.starts(facts::replica_of(user));
    if (life.start != start) life = Life{.start = start};
    return life;
  }

  void listed(World& world, const RequestSeen& request) {
    const RequestInfo& info = *request.info;
    const auto kind = std::ranges::find(kCached, std::string_view(info.resource));
    if (kind == kCached.end() || request.response == nullptr || info.reply_lost) return;
    const auto index = static_cast<std::size_t>(kind - kCached.begin());
    Life& life = life_of(world, info.user);
    const unsigned status = request.response->status;
    if (status == 403 || status == 404) life.refused[index] = true;
    // Of a list in pages only the last one counts; metadata stands before the items. A last page
    // may have an empty token.
    constexpr std::string_view kToken = "\"continue\":\"";
    const std::string_view head = std::string_view(request.response->body).substr(0, 400);
    const std::size_t token = head.find(kToken);
    const bool last = token == std::string_view::npos || head[token + kToken.size()] == '"';
    if (status == 200 && last) life.filled[index] = true;
  }

  std::map<std::string, Life> lives_;  // by user
};

}  // namespace

std::unique_ptr<Judge> never_before_sync() { return std::make_unique<NeverBeforeSync>(); }

}  // namespace davit::sim
