// What the users of BlockNodes do to them.
#include <fmt/format.h>

#include <array>

#include "operands/blocknode/types.hpp"
#include "sim/life/acts.hpp"
#include "sim/merge.hpp"

namespace davit::sim {

namespace {

constexpr const char* kUser = "user";

// The object a user would send: `with`, over the sample for BlockNodes.
json::object object_of(const Target& target, const json::object& with) {
  json::object base;
  if (target.type->plural == blocknode::kBlockNodes.plural) {
    base = sample_block_node(target.key.name);
  }
  json::object object = merge_patch(std::move(base), with).as_object();
  object["apiVersion"] = target.type->api_version();
  object["kind"] = target.type->kind;
  json::object& metadata = wire::ensure_object(object, "metadata");
  metadata["name"] = target.key.name;
  if (target.type->namespaced) metadata["namespace"] = target.key.ns;
  return object;
}

std::string memory_key(std::string_view what, const ObjectKey& key) {
  return fmt::format("{} {}", what, key.to_string());
}

template <typename T>
Status outcome(const Answer<T>& answer) {
  if (!answer) return fail(refusal_of(answer.error()));
  return {};
}

Status create(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  return outcome(world.server.operations().create(
      *target->type, target->key.ns, object_of(*target, step.with), {.manager = kUser}));
}

Status apply(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  return outcome(world.apply(kUser, object_of(*target, step.with)));
}

Status patch(World& world, const Target& target, const json::object& change) {
  if (const Object before = world.server.store().get(*target.type, target.key)) {
    if (const json::value* spec = before->if_contains("spec")) {
      world.memory[memory_key("edit", target.key)] = *spec;
    }
  }
  return outcome(world.server.operations().patch(*target.type, target.key, PatchKind::kMerge,
                                                 change, {.manager = kUser}));
}

Status edit(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  if (step.with.empty()) {
    return fail(Code::kInvalid, "\"edit\" needs with: the merge patch, such as {spec: {tier: 2}}");
  }
  return patch(world, *target, step.with);
}

Status revert(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  if (Status wrong = With(step).done(); !wrong) return wrong;
  const auto before = world.memory.find(memory_key("edit", target->key));
  if (before == world.memory.end()) return {};  // nothing was edited
  const json::value spec = before->second;
  const bool there = world.server.operations().edit(
      *target->type, target->key, "", [&](json::object& object) { object["spec"] = spec; });
  return there ? Status() : fail(Code::kNotFound, step.object + " is not there");
}

Status restart(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  With with(step);
  const std::string setting = with.text("setting", "FILES_RECENT_BLOCK_RETENTION_THRESHOLD");
  const auto value =
      with.text("value", fmt::format("{}", 1000 + step.at / std::chrono::seconds(1)));
  if (Status wrong = with.done(); !wrong) return wrong;
  return patch(world, *target,
               {{"spec", json::object{{"extraConfig", json::object{{setting, value}}}}}});
}

Status grow(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  With with(step);
  const std::string volume =
      with.choice("volume", {"live", "historic", "applicationState", "logs", "plugins"});
  const std::string size = with.text("to", "6Gi");
  if (Status wrong = with.done(); !wrong) return wrong;
  return patch(
      world, *target,
      {{"spec", json::object{{"storage", json::object{{volume, json::object{{"size", size}}}}}}}});
}

Status upgrade(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  With with(step);
  const std::string version = with.text("version", "0.41.0");
  if (Status wrong = with.done(); !wrong) return wrong;
  return patch(world, *target, {{"spec", json::object{{"version", version}}}});
}

Result<DeleteOptions> delete_options(With& with) {
  DeleteOptions options;
  options.propagation = with.choice("propagation", {"Background", "Foreground", "Orphan"});
  if (with.has("grace")) options.grace_seconds = static_cast<int>(with.number("grace", 0));
  if (Status wrong = with.done(); !wrong) return fail(wrong.error());
  return options;
}

Status remove(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  With with(step);
  const Result<DeleteOptions> options = delete_options(with);
  if (!options) return fail(options.error());
  return outcome(world.server.operations().remove(*target->type, target->key, *options));
}

// Tries again each second until the old object is gone.
void create_when_gone(World& world, Target target, json::object object, int tries) {
  const Answer<Object> made =
      world.server.operations().create(*target.type, target.key.ns, object, {.manager = kUser});
  if (made || tries <= 0) return;
  world.later(std::chrono::seconds(1), [&world, target, object = std::move(object), tries] {
    create_when_gone(world, target, object, tries - 1);
  });
}

Status recreate(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  With with(step);
  const json::object change = with.object("change");
  const Result<DeleteOptions> options = delete_options(with);
  if (!options) return fail(options.error());
  const Object before = world.server.store().get(*target->type, target->key);
  if (before == nullptr) return fail(Code::kNotFound, step.object + " is not there");
  json::object object = object_of(*target, change);
  if (change.empty()) {
    if (const json::value* spec = before->if_contains("spec")) object["spec"] = *spec;
  }
  (void)world.server.operations().remove(*target->type, target->key, *options);
  create_when_gone(world, *target, std::move(object), 300);
  return {};
}

Status wipe_status(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  if (Status wrong = With(step).done(); !wrong) return wrong;
  const bool there = world.server.operations().edit(
      *target->type, target->key, "status", [](json::object& object) { object.erase("status"); });
  return there ? Status() : fail(Code::kNotFound, step.object + " is not there");
}

constexpr std::array kActs{
    Act{"create", "A user creates an object; a BlockNode from the sample, with changed by `with`.",
        "user", create},
    Act{"apply", "A user applies an object, as GitOps does; a BlockNode as for create.", "user",
        apply},
    Act{"edit", "A user changes an object by a merge patch: `with`.", "user", edit},
    Act{"revert", "A user undoes the last edit of the specification.", "user", revert},
    Act{"restart", "A user changes a setting that needs a restart (setting, value).", "user",
        restart},
    Act{"grow", "A user asks for a bigger volume (volume, to).", "user", grow},
    Act{"upgrade", "A user asks for another version of the server (version).", "user", upgrade},
    Act{"delete", "A user deletes an object (propagation, grace).", "user", remove},
    Act{"recreate", "A user deletes an object and creates it again once it is gone (change).",
        "user", recreate},
    Act{"wipe-status", "Somebody removes the whole status, as a restored backup does.", "user",
        wipe_status},
};

}  // namespace

std::span<const Act> user_acts() { return kActs; }

}  // namespace davit::sim
