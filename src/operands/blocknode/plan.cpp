#include "operands/blocknode/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/mutant.hpp"
#include "operands/blocknode/names.hpp"
#include "operands/blocknode/pod_facts.hpp"

namespace davit::blocknode {

namespace {

// What rule 8 pins: from the StatefulSet, else from its pod, else what this Davit makes.
struct Pin {
  std::string form;
  std::string image;
};

Pin pin_of(const Snapshot& snapshot, const Settings& settings) {
  for (const runtime::Object& object : {snapshot.statefulset, snapshot.pod}) {
    if (object == nullptr) continue;
    Pin pin{annotation_of(*object, kCompatibilityAnnotation),
            annotation_of(*object, kDavitImageAnnotation)};
    if (!pin.form.empty() && !pin.image.empty()) return pin;
  }
  return {snapshot.node.status.compatibility_version.value_or(std::string(kCurrentForm)),
          settings.davit_image};
}

std::vector<Problem> all_problems(const Snapshot& snapshot) {
  std::vector<Problem> problems = snapshot.problems;
  if (auto problem = name_problem(snapshot.node.key)) {
    problems.push_back({"metadata.name", std::move(*problem)});
  }
  for (Problem& problem : claim_problems(snapshot.node, snapshot.claims)) {
    problems.push_back(std::move(problem));
  }
  return problems;
}

bool blocks_creation(const Claim& claim) {
  return claim.state == ClaimState::kForeign || claim.state == ClaimState::kMissing ||
         claim.state == ClaimState::kTerminating || claim.state == ClaimState::kLost;
}

std::string why_patched(const BlockNode& node, const ClaimChange& change,
                        const VolumeLayout& layout) {
  if (change.grows) {
    return fmt::format("grow to {}", volume_spec(node.spec.storage, layout.key).size.value_or(""));
  }
  if (change.adopts) return "own";
  return node.spec.policies.deletion == "Delete" ? "label" : "keep on deletion";
}

void plan_claims(const Snapshot& snapshot, Plan& plan) {
  const BlockNode& node = snapshot.node;
  for (const Claim& claim : snapshot.claims) {
    if (claim.state == ClaimState::kAbsent) {
      plan.actions.push_back(CreateClaim{build_claim(node, *claim.layout)});
      continue;
    }
    const auto live = snapshot.live_claims.find(claim.name);
    if (live == snapshot.live_claims.end() || live->second == nullptr) continue;
    ClaimChange change = claim_change(node, claim, *live->second);
    if (change.patch.empty()) continue;
    plan.actions.push_back(PatchClaim{.key = {node.key.ns, claim.name},
                                      .patch = std::move(change.patch),
                                      .why = why_patched(node, change, *claim.layout),
                                      .grows = change.grows});
  }
}

void plan_volumes(const Snapshot& snapshot, Plan& plan) {
  const bool retain = snapshot.node.spec.policies.deletion != "Delete";
  for (const Claim& claim : snapshot.claims) {
    // Volumes behind an existingClaim follow their owner's wish.
    if (!claim.made_by_davit || !claim.layout->data) continue;
    if (claim.state != ClaimState::kBound || claim.volume.empty()) continue;
    const auto policy = snapshot.reclaim_policies.find(claim.volume);
    const bool unread = policy == snapshot.reclaim_policies.end();
    if (unread || (policy->second == "Retain") != retain) {
      plan.actions.push_back(ProtectVolume{claim.volume, retain});
    }
  }
}

// The StatefulSet controller has the wanted template and would make the next pod from it.
bool template_is_live(const Snapshot& snapshot, const std::string& wanted) {
  if (snapshot.statefulset == nullptr) return false;
  const json::object& set = *snapshot.statefulset;
  const json::object* annotations = wire::find_object(set, "spec.template.metadata.annotations");
  if (annotations == nullptr) return false;
  const json::value* digest = annotations->if_contains(kTemplateAnnotation);
  if (digest == nullptr || !digest->is_string() || digest->get_string() != wanted) return false;
  return wire::find_int(set, "status.observedGeneration").value_or(0) >= kube::generation_of(set);
}

void plan_restart(const Snapshot& snapshot, Plan& plan) {
  if (snapshot.pod == nullptr) return;
  const PodFacts pod = look_at_pod(*snapshot.pod);
  if (pod.deleting || pod.template_digest == plan.wanted_template) return;
  plan.restart = Restart::kWaits;
  if (!template_is_live(snapshot, plan.wanted_template) && !mutant(kForgetIntent)) return;
  if (pod.ready) {
    for (const GroupMember& member : snapshot.group) {
      if (member.down) plan.slot_holders.push_back(member.key.to_string());
    }
    if (!plan.slot_holders.empty()) return;
  }
  plan.restart = Restart::kNow;
  plan.actions.push_back(RestartPod{.key = {snapshot.node.key.ns, pod_name(snapshot.node.key)},
                                    .uid = pod.uid,
                                    .why = pod.ready
                                               ? "its configuration or template changed"
                                               : "it is not ready and its template is outdated"});
}

void plan_budgets(const Snapshot& snapshot, Plan& plan) {
  if (!snapshot.budget_members.empty()) {
    plan.actions.push_back(
        Apply{kube::kPodDisruptionBudgets, build_disruption_budget(snapshot.budget_members)});
  }
  for (const StaleBudget& budget : snapshot.stale_budgets) {
    plan.actions.push_back(RemoveBudget{budget.key, budget.uid, budget.version});
  }
}

}  // namespace

Plan make_plan(const Snapshot& snapshot, const Settings& settings) {
  Plan plan;
  const Pin pin = pin_of(snapshot, settings);
  plan.form = pin.form;
  plan.form_known = is_known_form(pin.form);
  plan.problems = all_problems(snapshot);
  if (!plan.problems.empty() || !plan.form_known || snapshot.node.deleting) return plan;
  if (mutant(kEdgeTriggered) &&
      snapshot.node.generation == snapshot.node.status.observed_generation) {
    return plan;
  }

  const BuildInput in{.node = &snapshot.node,
                      .server_image = server_image(snapshot.node.spec, settings.default_repository),
                      .davit_image = pin.image,
                      .java_opts = snapshot.java_opts,
                      .form = pin.form};
  json::object set = build_statefulset(in);
  plan.wanted_config = config_digest(in);
  plan.wanted_template = std::string(wire::find_object(set, "spec.template.metadata.annotations")
                                         ->at(kTemplateAnnotation)
                                         .as_string());

  plan.actions.push_back(Apply{kube::kServiceAccounts, build_serviceaccount(in)});
  plan.actions.push_back(Apply{kube::kConfigMaps, build_configmap(in)});
  plan.actions.push_back(Apply{kube::kConfigMaps, build_files(in)});
  plan.actions.push_back(Apply{kube::kServices, build_headless_service(in)});
  plan.actions.push_back(Apply{kube::kServices, build_client_service(in)});
  plan_claims(snapshot, plan);
  const bool claims_block = std::ranges::any_of(snapshot.claims, blocks_creation);
  if (snapshot.statefulset != nullptr || !claims_block) {
    plan.actions.push_back(Apply{kube::kStatefulSets, std::move(set)});
  }
  plan_restart(snapshot, plan);
  plan_budgets(snapshot, plan);
  plan_volumes(snapshot, plan);
  return plan;
}

}  // namespace davit::blocknode
