#include <fmt/format.h>

#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

class DestructiveActsCarryPreconditions final : public Judge {
 public:
  std::string_view name() const override { return "DestructiveActsCarryPreconditions"; }
  std::string_view rule() const override {
    return "Rule 2: every deletion carries the UID and the resourceVersion that were read.";
  }

  void saw(World& world, const RequestSeen& request) override {
    const RequestInfo& info = *request.info;
    if (!info.verb.starts_with("delete") || !World::is_davit(info.user)) return;
    if (info.verb == "deletecollection") {
      return object(world, facts::name_of(info) + " deletes whatever is there");
    }
    const auto body = wire::parse_json_object(request.request->body);
    const auto has = [&](std::string_view path) {
      return body && !wire::find_string(*body, path).empty();
    };
    if (!has("preconditions.uid")) object(world, facts::name_of(info) + " carries no UID");
    if (!has("preconditions.resourceVersion")) {
      object(world, facts::name_of(info) + " carries no resourceVersion");
    }
  }
};

}  // namespace

std::unique_ptr<Judge> destructive_acts_carry_preconditions() {
  return std::make_unique<DestructiveActsCarryPreconditions>();
}

}  // namespace davit::sim
