// What others do to the children of BlockNodes.
#include <fmt/format.h>

#include <array>

#include "sim/life/acts.hpp"

namespace davit::sim {

namespace {

// As another controller would: over and over, if asked to.
void write_again(World& world, Target target, json::object patch, Duration every, int times) {
  (void)world.server.operations().patch(*target.type, target.key, PatchKind::kMerge, patch,
                                        {.manager = "other-controller"});
  if (times <= 1) return;
  world.later(every, [&world, target, patch = std::move(patch), every, times] {
    write_again(world, target, patch, every, times - 1);
  });
}

Status stamp(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  With with(step);
  json::object patch = with.object("patch");
  const Duration every = with.duration("every", std::chrono::seconds(5));
  const auto times = static_cast<int>(with.number("times", 1, 1));
  if (Status wrong = with.done(); !wrong) return wrong;
  if (patch.empty()) {
    patch["metadata"] = json::object{{"labels", json::object{{"example.com/team", "other"}}},
                                     {"annotations", json::object{{"example.com/stamped", "yes"}}}};
  }
  write_again(world, *target, std::move(patch), every, times);
  return {};
}

// An injector that adds to the pod template or changes what is there.
Status stamp_env(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  With with(step);
  const std::string name = with.text("name", "INJECTED");
  const std::string value = with.text("value", "yes");
  if (Status wrong = with.done(); !wrong) return wrong;
  const json::object patch{
      {"spec",
       json::object{
           {"template",
            json::object{
                {"spec", json::object{{"containers", json::array{json::object{
                                                         {"name", "server"},
                                                         {"env", json::array{json::object{
                                                                     {"name", name},
                                                                     {"value", value}}}}}}}}}}}}}};
  const auto done = world.server.operations().patch(
      *target->type, target->key, PatchKind::kStrategic, patch, {.manager = "injector"});
  if (!done) return fail(refusal_of(done.error()));
  return {};
}

Status corrupt(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  With with(step);
  const std::string what = with.choice(
      "what", {"owner", "owner-uid", "labels", "managed-by", "annotations", "managed-fields"});
  if (Status wrong = with.done(); !wrong) return wrong;
  const bool there =
      world.server.operations().edit(*target->type, target->key, "", [&](json::object& object) {
        json::object& metadata = wire::ensure_object(object, "metadata");
        if (what == "owner") metadata.erase("ownerReferences");
        if (what == "labels") metadata.erase("labels");
        if (what == "annotations") metadata.erase("annotations");
        if (what == "managed-fields") metadata.erase("managedFields");
        if (what == "managed-by") {
          wire::ensure_object(metadata, "labels")["app.kubernetes.io/managed-by"] = "Helm";
        }
        json::value* owners = metadata.if_contains("ownerReferences");
        if (what == "owner-uid" && owners != nullptr && owners->is_array()) {
          for (json::value& owner : owners->get_array()) {
            owner.as_object()["uid"] = "00000000-0000-0000-0000-000000000000";
          }
        }
      });
  return there ? Status() : fail(Code::kNotFound, step.object + " is not there");
}

constexpr std::array kActs{
    Act{"stamp", "Another controller writes a merge patch on an object (patch; every, times).",
        "user", stamp},
    Act{"stamp-env", "An injector sets a variable of the server container (name, value).", "user",
        stamp_env},
    Act{"corrupt",
        "Somebody damages an object's metadata (what: owner, owner-uid, labels, managed-by, "
        "annotations, managed-fields).",
        "user", corrupt},
};

}  // namespace

std::span<const Act> child_acts() { return kActs; }

}  // namespace davit::sim
