#include "sim/life/acts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace davit::sim {

std::span<const Act> acts() {
  static const std::vector<Act> table = [] {
    std::vector<Act> all;
    for (const std::span<const Act> group : {user_acts(), child_acts(), cluster_acts(),
                                             operand_acts(), network_acts(), davit_acts()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }();
  return table;
}

Status perform(World& world, const Step& step) {
  const auto found = std::ranges::find(acts(), std::string_view(step.act), &Act::name);
  if (found != acts().end()) return found->run(world, step);
  std::vector<std::string_view> names;
  for (const Act& act : acts()) names.push_back(act.name);
  const std::string near = nearest(step.act, names);
  return fail(Code::kInvalid,
              fmt::format("there is no act \"{}\"{}; there are {}", step.act,
                          near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near),
                          fmt::join(names, ", ")));
}

Result<Target> target_of(World& world, const Step& step) {
  std::vector<std::string> parts;
  std::string_view rest = step.object;
  for (std::size_t slash; (slash = rest.find('/')) != std::string_view::npos;
       rest.remove_prefix(slash + 1)) {
    parts.emplace_back(rest.substr(0, slash));
  }
  parts.emplace_back(rest);
  if (parts.size() < 2 || parts.size() > 3) {
    return fail(Code::kInvalid,
                fmt::format("\"{}\" needs an object as plural/name or namespace/plural/name, not "
                            "\"{}\"",
                            step.act, step.object));
  }
  const std::string ns = parts.size() == 3 ? parts[0] : "hiero";
  const std::string& plural = parts[parts.size() - 2];
  std::vector<std::string_view> plurals;
  for (const ResourceType& type : world.server.registry().types()) {
    if (type.plural == plural) {
      return Target{&type, {type.namespaced ? ns : std::string(), parts.back()}};
    }
    plurals.push_back(type.plural);
  }
  const std::string near = nearest(plural, plurals);
  return fail(Code::kInvalid,
              fmt::format("the cluster serves no \"{}\"{}", plural,
                          near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near)));
}

Result<std::string> node_of(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  if (target->type->plural != "blocknodes") {
    return fail(Code::kInvalid,
                fmt::format("\"{}\" happens to a BlockNode (blocknodes/NAME), not to \"{}\"",
                            step.act, step.object));
  }
  return target->key.to_string();
}

Result<unsigned> replica_of(World& world, With& with) {
  const auto replica = with.number("replica", 0);
  if (replica >= static_cast<std::int64_t>(std::max(1U, world.options().replicas))) {
    return fail(Code::kInvalid, fmt::format("there is no replica {}; this life has {}", replica,
                                            world.options().replicas));
  }
  return static_cast<unsigned>(replica);
}

Error refusal_of(const ApiError& error) {
  const Code code = error.code == 404   ? Code::kNotFound
                    : error.code == 409 ? Code::kConflict
                                        : Code::kForbidden;
  return Error(code, error.message).with_reason(error.reason);
}

}  // namespace davit::sim
