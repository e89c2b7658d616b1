// The words come from the closed table (operands/blocknode/reasons.hpp), from which the runbook is
// made: a reason that is not there has no page. A reason that stops a node must say what to do.
#include <fmt/format.h>

#include <algorithm>

#include "operands/blocknode/reasons.hpp"
#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

constexpr std::size_t kLeastMessage = 10;

class RefusalsExplainThemselves final : public Judge {
 public:
  std::string_view name() const override { return "RefusalsExplainThemselves"; }
  std::string_view rule() const override {
    return "Rule 9: every failure ends in a condition with a known reason, a sentence and what to "
           "do.";
  }

  void saw(World& world, const ChangeSeen& change) override {
    const StoredEvent& event = *change.event;
    if (!change.by_davit || change.only_volatile || !facts::is(event, "blocknodes")) return;
    if (!event.after || (event.before && facts::same_conditions(*event.before, *event.after)))
      return;
    const json::array* conditions = wire::find_array(*event.after, "status.conditions");
    if (conditions == nullptr) return;
    for (const json::value& value : *conditions) {
      if (!value.is_object()) continue;
      const std::string why = wrong(value.get_object());
      if (!why.empty()) {
        object(world, fmt::format("BlockNode {}: condition {} {}", event.key.to_string(),
                                  wire::find_string(value.get_object(), "type"), why));
      }
    }
  }

 private:
  static std::string wrong(const json::object& condition) {
    const std::string_view status = wire::find_string(condition, "status");
    const std::string_view word = wire::find_string(condition, "reason");
    if (status != "True" && status != "False" && status != "Unknown") {
      return fmt::format("has status \"{}\"", status);
    }
    const auto known = std::ranges::find_if(
        blocknode::kReasons, [&](const blocknode::Reason* reason) { return reason->name == word; });
    if (known == blocknode::kReasons.end()) {
      return fmt::format("has reason \"{}\", which no table explains", word);
    }
    if (wire::find_string(condition, "message").size() < kLeastMessage) {
      return fmt::format("({}) says nothing", word);
    }
    const bool stalled = wire::find_string(condition, "type") == "Stalled" && status == "True";
    if (stalled && (*known)->action.empty())
      return fmt::format("({}) does not say what to do", word);
    return {};
  }
};

}  // namespace

std::unique_ptr<Judge> refusals_explain_themselves() {
  return std::make_unique<RefusalsExplainThemselves>();
}

}  // namespace davit::sim
