// What happens to the cluster under Davit.
#include <array>

#include "sim/life/acts.hpp"
#include "sim/life/switches.hpp"

namespace davit::sim {

namespace {

constexpr Duration kUsual = std::chrono::seconds(30);

Status halt(World& world, const Step& step) {
  With with(step);
  const std::string what = with.choice("what", {"kubelet", "statefulsets", "binder", "provisioner",
                                                "collector", "disruptions", "scheduler"});
  const Duration time = with.duration("for", kUsual);
  if (Status wrong = with.done(); !wrong) return wrong;
  set_component(world, what, false);
  world.later(time, [&world, what] { set_component(world, what, true); });
  return {};
}

Status cordon(World& world, const Step& step) {
  const Result<Target> target = target_of(world, step);
  if (!target) return fail(target.error());
  With with(step);
  const bool on = with.flag("on", true);
  if (Status wrong = with.done(); !wrong) return wrong;
  world.server.operations().edit(*target->type, target->key, "", [on](json::object& node) {
    wire::ensure_object(node, "spec")["unschedulable"] = on;
  });
  return {};
}

Status delete_namespace(World& world, const Step& step) {
  With with(step);
  const std::string name = with.text("name", "hiero");
  const Duration again = with.duration("again", std::chrono::seconds(30));
  if (Status wrong = with.done(); !wrong) return wrong;
  world.remove(kube::kNamespaces, {"", name});
  world.later(again, [&world, name] { world.server.add_namespace(name); });
  return {};
}

constexpr std::array kActs{
    Act{"halt",
        "A part of the cluster stands still (what: kubelet, statefulsets, binder, provisioner, "
        "collector, disruptions, scheduler; for).",
        "cluster", halt},
    Act{"cordon", "A machine takes no new pods, or does again (object: nodes/NAME; on).", "cluster",
        cordon},
    Act{"delete-namespace", "A namespace is deleted, and made again later (name, again).",
        "cluster", delete_namespace},
};

}  // namespace

std::span<const Act> cluster_acts() { return kActs; }

}  // namespace davit::sim
