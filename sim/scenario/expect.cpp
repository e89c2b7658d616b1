#include "sim/scenario/expect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "sim/life/acts.hpp"

namespace davit::sim {

namespace {

constexpr std::array<std::string_view, 12> kMembers{
    "conditions", "exists",    "absent",   "fields", "writes",   "requests",
    "events",     "no_events", "warnings", "same",   "replaced", "blocks"};

// "hiero/statefulsets/bn1" to what is there.
Result<Object> object_of(World& world, std::string_view name) {
  Step step;
  step.act = "expect";
  step.object = name;
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  return world.server.store().get(*target->type, target->key);
}

bool matches(std::string_view wanted, std::string_view found) {
  if (!wanted.ends_with('*')) return wanted == found;
  return found.starts_with(wanted.substr(0, wanted.size() - 1));
}

// The path of the first thing in `wanted` that `live` does not say; empty: it says all.
std::string first_other(const json::value& wanted, const json::value* live, std::string path) {
  if (wanted.is_null()) return live == nullptr || live->is_null() ? "" : path + " is there";
  if (live == nullptr) return path + " is not there";
  if (wanted.is_object() && live->is_object()) {
    for (const auto& [name, value] : wanted.get_object()) {
      std::string other = first_other(value, live->get_object().if_contains(name),
                                      fmt::format("{}.{}", path, std::string_view(name)));
      if (!other.empty()) return other;
    }
    return {};
  }
  if (wanted.is_string() && live->is_string() &&
      matches(std::string_view(wanted.get_string()), std::string_view(live->get_string()))) {
    return {};
  }
  return wanted == *live ? std::string{}
                         : fmt::format("{} is {}, not {}", path, json::serialize(*live),
                                       json::serialize(wanted));
}

class Looker {
 public:
  Looker(World& world, const Marked& marked) : world_(&world), marked_(&marked) {}

  void conditions(const json::object& wanted) {
    for (const auto& [node, types] : wanted) {
      for (const auto& [type, word] : types.as_object()) {
        const std::string found = world_->word(std::string(node), type);
        if (matches(std::string_view(word.as_string()), found)) continue;
        miss(fmt::format("{} of {} is {}, not {}", std::string_view(type), std::string_view(node),
                         found, std::string_view(word.as_string())));
      }
    }
  }
  void existence(const json::array& names, bool wanted) {
    for (const json::value& name : names) {
      const Result<Object> found = object_of(*world_, std::string_view(name.as_string()));
      if (found && (*found != nullptr) == wanted) continue;
      miss(fmt::format("{} {}", std::string_view(name.as_string()),
                       wanted ? "is not there" : "is there"));
    }
  }
  void fields(const json::object& wanted) {
    for (const auto& [name, part] : wanted) {
      const Result<Object> found = object_of(*world_, name);
      const json::value live = found && *found ? json::value(**found) : json::value();
      const std::string other = first_other(part, found && *found ? &live : nullptr, "");
      if (!other.empty()) miss(fmt::format("{}: {}", std::string_view(name), other));
    }
  }
  void bounds(const json::object& wanted, std::string_view what, std::size_t found) {
    const auto count = static_cast<std::int64_t>(found);
    if (count > wire::find_int(wanted, "most").value_or(count) ||
        count < wire::find_int(wanted, "least").value_or(count)) {
      miss(fmt::format("{} {}, expected {}", count, what, json::serialize(wanted)));
    }
  }
  void events(const json::array& reasons, bool wanted) {
    for (const json::value& reason : reasons) {
      const bool found = std::ranges::any_of(world_->all(kube::kEvents), [&](const Object& event) {
        return wire::find_string(*event, "reason") == std::string_view(reason.as_string());
      });
      if (found != wanted) {
        miss(
            fmt::format("{} Event {}", wanted ? "no" : "an", std::string_view(reason.as_string())));
      }
    }
  }
  void warnings(std::int64_t most) {
    std::int64_t found = 0;
    std::string said;
    for (const Object& event : world_->all(kube::kEvents)) {
      if (wire::find_string(*event, "type") != "Warning") continue;
      ++found;
      said += fmt::format(" {}: {};", wire::find_string(*event, "reason"),
                          wire::find_string(*event, "note"));
    }
    if (found > most) miss(fmt::format("{} warnings:{}", found, said));
  }
  void identity(const json::array& names, bool same) {
    for (const json::value& value : names) {
      const std::string name(value.as_string());
      const Result<Object> found = object_of(*world_, name);
      const auto before =
          marked_->uids.find(name.find('/') == name.rfind('/') ? "hiero/" + name : name);
      if (!found || *found == nullptr || before == marked_->uids.end()) {
        miss(fmt::format("{} is not there, or was not at the mark", name));
      } else if ((kube::uid_of(**found) == before->second) != same) {
        miss(fmt::format("{} was {}", name, same ? "replaced" : "not replaced"));
      }
    }
  }
  void blocks(const json::object& wanted) {
    for (const auto& [node, least] : wanted) {
      const Fleet::Truth truth = world_->fleet.truth("hiero/" + std::string(node));
      const auto held = truth.last ? static_cast<std::int64_t>(*truth.last) + 1 : 0;
      if (held < least.to_number<std::int64_t>()) {
        miss(fmt::format("{} holds {} blocks, not {}", std::string_view(node), held,
                         json::serialize(least)));
      }
    }
  }
  std::vector<std::string> take() { return std::move(misses_); }

 private:
  void miss(std::string sentence) { misses_.push_back(std::move(sentence)); }

  World* world_;
  const Marked* marked_;
  std::vector<std::string> misses_;
};

std::size_t davit_requests(World& world) {
  return static_cast<std::size_t>(std::ranges::count_if(
      world.server.log(),
      [](const RequestInfo& request) { return World::is_davit(request.user); }));
}

}  // namespace

Marked mark(World& world) {
  Marked marked{.uids = {}, .writes = world.davit_writes(), .requests = davit_requests(world)};
  for (const auto& [type, objects] : world.server.store().everything()) {
    for (const auto& [key, object] : objects) {
      const std::string name = key.ns.empty()
                                   ? fmt::format("hiero/{}/{}", type->plural, key.name)
                                   : fmt::format("{}/{}/{}", key.ns, type->plural, key.name);
      marked.uids[name] = kube::uid_of(*object);
    }
  }
  return marked;
}

Status check_expectation(const json::object& what) {
  for (const auto& [name, value] : what) {
    if (std::ranges::find(kMembers, std::string_view(name)) != kMembers.end()) continue;
    const std::string near = nearest(name, kMembers);
    return fail(Code::kInvalid,
                fmt::format("nothing called \"{}\" can be expected{}", std::string_view(name),
                            near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near)));
  }
  return {};
}

std::vector<std::string> misses(World& world, const json::object& what, const Marked& marked,
                                bool only_end) {
  Looker look(world, marked);
  const auto object = [&](std::string_view name) { return wire::find_object(what, name); };
  const auto array = [&](std::string_view name) { return wire::find_array(what, name); };
  if (const auto* wanted = object("conditions")) look.conditions(*wanted);
  if (const auto* wanted = array("exists")) look.existence(*wanted, true);
  if (const auto* wanted = array("absent")) look.existence(*wanted, false);
  if (const auto* wanted = object("fields")) look.fields(*wanted);
  if (const auto* wanted = object("blocks")) look.blocks(*wanted);
  if (only_end) return look.take();
  if (const auto* wanted = object("writes")) {
    look.bounds(*wanted, "writes", world.davit_writes() - marked.writes);
  }
  if (const auto* wanted = object("requests")) {
    look.bounds(*wanted, "requests", davit_requests(world) - marked.requests);
  }
  if (const auto* wanted = array("events")) look.events(*wanted, true);
  if (const auto* wanted = array("no_events")) look.events(*wanted, false);
  if (const auto most = wire::find_int(what, "warnings")) look.warnings(*most);
  if (const auto* wanted = array("same")) look.identity(*wanted, true);
  if (const auto* wanted = array("replaced")) look.identity(*wanted, false);
  return look.take();
}

}  // namespace davit::sim
