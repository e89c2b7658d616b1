// Labels, annotations and owners that somebody else put on a child of ours stay through Davit's
// writes. A member that Davit's own manager had is Davit's to take away.
#include <fmt/format.h>

#include <algorithm>

#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

class ForeignFieldsAreLeft final : public Judge {
 public:
  std::string_view name() const override { return "ForeignFieldsAreLeft"; }
  std::string_view rule() const override {
    return "Rule 4: fields that others own are left alone.";
  }

  void saw(World& world, const ChangeSeen& change) override {
    const StoredEvent& event = *change.event;
    if (!change.by_davit || !event.before || !event.after) return;
    map(world, change, "labels");
    map(world, change, "annotations");
    owners(world, change);
  }

 private:
  void map(World& world, const ChangeSeen& change, std::string_view member) {
    const std::string path = fmt::format("metadata.{}", member);
    const json::object* before = wire::find_object(*change.event->before, path);
    const json::object* after = wire::find_object(*change.event->after, path);
    if (before == nullptr) return;
    for (const auto& [key, value] : *before) {
      if (after != nullptr && after->contains(key)) continue;
      if (was_davits(*change.event->before, member, key)) continue;
      object(world, fmt::format("{} lost {}[{}], which was not Davit's, through {}",
                                facts::name_of(*change.event), path, std::string_view(key),
                                change.cause->user));
    }
  }

  static bool was_davits(const json::object& before, std::string_view member,
                         std::string_view key) {
    if (key.find("davit.hiero.org/") != std::string_view::npos) return true;
    const json::array* managers = wire::find_array(before, "metadata.managedFields");
    if (managers == nullptr) return false;
    return std::ranges::any_of(*managers, [&](const json::value& value) {
      const json::object* entry = value.if_object();
      if (entry == nullptr || !wire::find_string(*entry, "manager").starts_with("davit")) {
        return false;
      }
      const json::object* fields =
          wire::find_object(*entry, fmt::format("fieldsV1.f:metadata.f:{}", member));
      return fields != nullptr && fields->contains(fmt::format("f:{}", key));
    });
  }

  void owners(World& world, const ChangeSeen& change) {
    const json::array* before = wire::find_array(*change.event->before, "metadata.ownerReferences");
    if (before == nullptr) return;
    const json::array* after = wire::find_array(*change.event->after, "metadata.ownerReferences");
    for (const json::value& value : *before) {
      const json::object* owner = value.if_object();
      if (owner == nullptr || wire::find_string(*owner, "kind") == "BlockNode") continue;
      const std::string_view uid = wire::find_string(*owner, "uid");
      const bool stays =
          after != nullptr && std::ranges::any_of(*after, [&](const auto& other) {
            return other.is_object() && wire::find_string(other.get_object(), "uid") == uid;
          });
      if (stays) continue;
      object(world, fmt::format("{} lost its owner {} {} through {}", facts::name_of(*change.event),
                                wire::find_string(*owner, "kind"),
                                wire::find_string(*owner, "name"), change.cause->user));
    }
  }
};

}  // namespace

std::unique_ptr<Judge> foreign_fields_are_left() {
  return std::make_unique<ForeignFieldsAreLeft>();
}

}  // namespace davit::sim
