#include <fmt/format.h>

#include <algorithm>

#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

class FinalizersOnlyUnderPolicyDelete final : public Judge {
 public:
  std::string_view name() const override { return "FinalizersOnlyUnderPolicyDelete"; }
  std::string_view rule() const override {
    return "Rule 7: Davit sets a finalizer on a BlockNode under policies.deletion Delete only, and "
           "on nothing else; it takes nobody else's away.";
  }

  void saw(World& world, const ChangeSeen& change) override {
    const StoredEvent& event = *change.event;
    if (!change.by_davit || !event.after) return;
    static const json::array none;
    const json::array* after = wire::find_array(*event.after, "metadata.finalizers");
    const json::array* before =
        event.before ? wire::find_array(*event.before, "metadata.finalizers") : nullptr;
    if (after == nullptr) after = &none;
    if (before == nullptr) before = &none;
    const bool may =
        facts::is(event, "blocknodes") && facts::deletion_policy(*event.after) == "Delete";
    for (const json::value& finalizer : *after) {
      if (may || std::ranges::find(*before, finalizer) != before->end()) continue;
      object(world, fmt::format("{} was given the finalizer {} by {}", facts::name_of(event),
                                std::string_view(finalizer.as_string()), change.cause->user));
    }
    for (const json::value& finalizer : *before) {
      const std::string_view text(finalizer.as_string());
      if (text.starts_with("davit.hiero.org/")) continue;
      if (std::ranges::find(*after, finalizer) != after->end()) continue;
      object(world, fmt::format("{} lost the finalizer {} through {}", facts::name_of(event), text,
                                change.cause->user));
    }
  }
};

}  // namespace

std::unique_ptr<Judge> finalizers_only_under_policy_delete() {
  return std::make_unique<FinalizersOnlyUnderPolicyDelete>();
}

}  // namespace davit::sim
