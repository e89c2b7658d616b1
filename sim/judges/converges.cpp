// The end is computed, not simulated: the pure builders say what the children of the final spec
// look like, and what lives must say the same. A spec that Davit must refuse asks for nothing, and
// a name that somebody else holds cannot be had: then the node must say so.
#include <fmt/format.h>

#include <algorithm>

#include "operands/blocknode/build.hpp"
#include "operands/blocknode/heap.hpp"
#include "operands/blocknode/names.hpp"
#include "operands/blocknode/types_schema.hpp"
#include "operands/blocknode/validation.hpp"
#include "operands/blocknode/volumes.hpp"
#include "runtime/applier.hpp"
#include "runtime/same_meaning.hpp"
#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"
#include "wire/quantity.hpp"

namespace davit::sim {

namespace {

using blocknode::BlockNode;

class Converges final : public Judge {
 public:
  std::string_view name() const override { return "Converges"; }
  std::string_view rule() const override {
    return "Rules 1 and 3: whatever happened on the way, the children end as the spec says.";
  }

  void at_end(World& world) override {
    for (const Object& object : world.all(blocknode::kBlockNodes)) {
      if (!kube::is_deleting(*object)) judge(world, *object);
    }
    if (world.all(blocknode::kBlockNodes).empty()) leftovers(world);
  }

 private:
  // True when the stored spec cannot be carried out.
  static bool is_refused(World& world, const BlockNode& node) {
    if (!blocknode::validate(node).empty() || blocknode::name_problem(node.key)) return true;
    const auto claims = blocknode::look_at_claims(node, [&](const std::string& name) {
      return world.server.find(kube::kPersistentVolumeClaims, {node.key.ns, name});
    });
    return !blocknode::claim_problems(node, claims).empty();
  }

  void judge(World& world, const json::object& stored) {
    const auto node = blocknode::read_block_node(stored);
    const facts::ConditionWords applied = facts::condition(stored, "ConfigurationApplied");
    if (!node || is_refused(world, *node)) {
      if (applied.status == "False" && applied.reason == "ConfigurationInvalid") return;
      return object(world,
                    fmt::format("BlockNode {} has a spec that cannot be carried out, and says "
                                "{}/{}",
                                kube::key_of(stored).to_string(), applied.status, applied.reason));
    }
    if (applied.status == "False" && applied.reason == "ConfigurationInvalid") {
      return object(world, fmt::format("BlockNode {} is refused without a reason: {}",
                                       node->key.to_string(), applied.message));
    }
    // A refusal of the cluster that lasts (quota, a taken name, a missing permission) is told.
    if (facts::condition(stored, "Stalled").status == "True") return;
    children(world, *node, stored);
    claims(world, *node);
    pod(world, *node);
  }

  void children(World& world, const BlockNode& node, const json::object& stored) {
    const Object set = world.server.find(kube::kStatefulSets,
                                         {node.key.ns, blocknode::statefulset_name(node.key)});
    if (!set) {
      return object(world,
                    fmt::format("BlockNode {} has no StatefulSet ({}: {})", node.key.to_string(),
                                facts::condition(stored, "Ready").reason,
                                facts::condition(stored, "Ready").message));
    }
    const std::string form = blocknode::annotation_of(*set, blocknode::kCompatibilityAnnotation);
    if (!blocknode::is_known_form(form)) return;
    const blocknode::BuildInput in{
        .node = &node,
        .server_image = blocknode::server_image(node.spec, repository_of(*set)),
        .davit_image = blocknode::annotation_of(*set, blocknode::kDavitImageAnnotation),
        .java_opts = blocknode::java_options(node.spec),
        .form = form};
    compare(world, kube::kServiceAccounts, blocknode::build_serviceaccount(in));
    compare(world, kube::kConfigMaps, blocknode::build_configmap(in));
    compare(world, kube::kConfigMaps, blocknode::build_files(in));
    compare(world, kube::kServices, blocknode::build_headless_service(in));
    compare(world, kube::kServices, blocknode::build_client_service(in));
    compare(world, kube::kStatefulSets, blocknode::build_statefulset(in));
    budget(world, node);
  }

  // How Davit is set up is read off what it made: the repository is no part of the spec.
  static std::string repository_of(const json::object& set) {
    const json::array* containers = wire::find_array(set, "spec.template.spec.containers");
    if (containers == nullptr) return {};
    for (const json::value& container : *containers) {
      if (!container.is_object() || wire::find_string(container.get_object(), "name") != "server") {
        continue;
      }
      const std::string_view image = wire::find_string(container.get_object(), "image");
      return std::string(image.substr(0, image.find_first_of("@:", image.rfind('/') + 1)));
    }
    return {};
  }

  void compare(World& world, const kube::Resource& resource, const json::object& wanted) {
    const ObjectKey key = kube::key_of(wanted);
    const Object live = world.server.find(resource, key);
    if (!live) {
      return object(world, fmt::format("{} {} is not there", resource.kind, key.to_string()));
    }
    const std::string difference = runtime::first_difference(resource.kind, wanted, *live);
    if (!difference.empty()) {
      object(world, fmt::format("{} {} is not what the spec says: {}", resource.kind,
                                key.to_string(), difference));
    }
  }

  void budget(World& world, const BlockNode& node) {
    const std::string name =
        blocknode::disruption_budget_name(blocknode::disruption_group(node.spec));
    if (!world.server.find(kube::kPodDisruptionBudgets, {node.key.ns, name})) {
      object(world, fmt::format("PodDisruptionBudget {} of BlockNode {} is not there", name,
                                node.key.to_string()));
    }
  }

  void claims(World& world, const BlockNode& node) {
    for (const blocknode::MountedClaim& mounted : blocknode::mounted_claims(node.spec)) {
      const ObjectKey key{node.key.ns, blocknode::claim_of(node, mounted)};
      const Object live = world.server.find(kube::kPersistentVolumeClaims, key);
      if (!live) {
        if (!mounted.spec->existing_claim) {
          object(world, fmt::format("claim {} is not there", key.to_string()));
        }
        continue;
      }
      if (!mounted.spec->size || wire::find_string(*live, "status.phase") != "Bound") continue;
      const auto wanted = wire::Quantity::parse(*mounted.spec->size);
      const auto has =
          wire::Quantity::parse(wire::find_string(*live, "spec.resources.requests.storage"));
      if (wanted && has && *has < *wanted) {
        object(world, fmt::format("claim {} asks for {}, and the spec for {}", key.to_string(),
                                  has->to_string(), wanted->to_string()));
      }
    }
  }

  void pod(World& world, const BlockNode& node) {
    const Object set = world.server.find(kube::kStatefulSets,
                                         {node.key.ns, blocknode::statefulset_name(node.key)});
    const Object live =
        world.server.find(kube::kPods, {node.key.ns, blocknode::pod_name(node.key)});
    if (!set || !live || kube::is_deleting(*live)) return;
    if (blocknode::annotation_of(*live, blocknode::kTemplateAnnotation) ==
        facts::template_of(*set)) {
      return;
    }
    // Waiting is right while another of the group is down; somebody is, and says so.
    const Object stored = world.server.find(blocknode::kBlockNodes, node.key);
    const facts::ConditionWords applied = facts::condition(*stored, "ConfigurationApplied");
    if (applied.reason == "RestartPending" &&
        applied.message.find("the slot") != std::string_view::npos) {
      return;
    }
    object(world, fmt::format("pod {} is not what its StatefulSet wants",
                              kube::key_of(*live).to_string()));
  }

  // Without BlockNodes nothing of Davit's runs any more, but for what was orphaned or kept.
  void leftovers(World& world) {
    for (const kube::Resource& resource :
         {kube::kStatefulSets, kube::kServices, kube::kConfigMaps, kube::kServiceAccounts}) {
      for (const Object& left : world.all(resource)) {
        if (kube::controller_of(*left).empty() || kube::is_deleting(*left)) continue;
        if (facts::owning_node(*left).empty()) continue;
        object(world, fmt::format("{} {} is left, and its BlockNode is gone", resource.kind,
                                  kube::key_of(*left).to_string()));
      }
    }
  }
};

}  // namespace

std::unique_ptr<Judge> converges() { return std::make_unique<Converges>(); }

}  // namespace davit::sim
