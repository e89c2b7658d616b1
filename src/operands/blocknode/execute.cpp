#include "operands/blocknode/execute.hpp"

#include <fmt/format.h>

#include "operands/blocknode/kept_volumes.hpp"
#include "operands/blocknode/names.hpp"
#include "operands/blocknode/pod_facts.hpp"
#include "operands/blocknode/types_schema.hpp"

namespace davit::blocknode {

namespace {

const FieldManager& manager() {
  static const FieldManager kName{std::string(kManager)};
  return kName;
}

// A child of ours that is to have no owner from now on (policies.deletion became Orphan).
bool is_orphaned_by(const json::object& wanted, const json::object& live) {
  if (!kube::controller_of(wanted).empty() || kube::controller_of(live).empty()) return false;
  const std::string node = label_of(wanted, kNodeLabel);
  return !node.empty() && label_of(live, kNodeLabel) == node;
}

// What to change on a volume so that its reclaim policy is the wanted one; empty: nothing.
json::object reclaim_patch(const json::object& volume, bool retain) {
  const std::string_view policy = wire::find_string(volume, "spec.persistentVolumeReclaimPolicy");
  const std::string before = annotation_of(volume, kReclaimAnnotation);
  json::object patch;
  if (retain && policy != "Retain") {
    wire::ensure_object(patch, "metadata.annotations")[kReclaimAnnotation] = policy;
    wire::ensure_object(patch, "spec")["persistentVolumeReclaimPolicy"] = "Retain";
  } else if (!retain && policy == "Retain" && !before.empty()) {
    wire::ensure_object(patch, "metadata.annotations")[kReclaimAnnotation] = nullptr;
    wire::ensure_object(patch, "spec")["persistentVolumeReclaimPolicy"] = before;
  }
  if (!patch.empty()) {
    wire::ensure_object(patch, "metadata")["resourceVersion"] = kube::version_of(volume).value;
  }
  return patch;
}

}  // namespace

io::Task<Status> Executor::run(Action action, std::shared_ptr<NodeState> state) {
  if (auto* a = std::get_if<Apply>(&action)) co_return co_await apply(std::move(*a));
  if (auto* a = std::get_if<CreateClaim>(&action)) co_return co_await create_claim(std::move(*a));
  if (auto* a = std::get_if<PatchClaim>(&action)) co_return co_await patch_claim(std::move(*a));
  if (auto* a = std::get_if<RestartPod>(&action)) co_return co_await restart(std::move(*a));
  if (auto* a = std::get_if<ProtectVolume>(&action)) {
    co_return co_await protect(std::move(*a), std::move(state));
  }
  const RemoveBudget budget = std::get<RemoveBudget>(std::move(action));
  co_return co_await remove_exactly(kube::kPodDisruptionBudgets, budget.key, budget.uid,
                                    budget.version);
}

io::Task<Status> Executor::apply(Apply action) {
  runtime::Informer& informer = *informers_->of(action.resource);
  const runtime::Object live = informer.store().get(kube::key_of(action.object));
  if (live != nullptr && is_orphaned_by(action.object, *live)) {
    const Status released = co_await release(informer, *live);
    if (!released) co_return released;
  }
  const auto applied = co_await applier_->apply(informer, action.object);
  if (applied) co_return Status{};
  if (applied.error().code() == Code::kInvalid && action.resource == kube::kServices) {
    co_return co_await replace_ports(std::move(action));
  }
  co_return fail(applied.error());
}

// Takes the BlockNode out of the owners: what the garbage collector must not follow.
io::Task<Status> Executor::release(runtime::Informer& informer, const json::object& live) {
  json::array owners;
  for (const json::value& owner : *wire::find_array(live, "metadata.ownerReferences")) {
    const json::object* object = owner.if_object();
    if (object == nullptr || wire::find_string(*object, "kind") == kBlockNodes.kind) continue;
    owners.push_back(owner);
  }
  json::object patch{{"metadata", json::object{{"ownerReferences", std::move(owners)},
                                               {"resourceVersion", kube::version_of(live).value}}}};
  const ObjectKey key = kube::key_of(live);
  const auto patched = co_await client_->patch(informer.resource(), key, kube::PatchType::kMerge,
                                               std::move(patch), manager());
  if (!patched) co_return fail(patched.error());
  informer.wrote(key, kube::version_of(*patched));
  co_return Status{};
}

// Ports are keyed by number: an edited number makes server-side apply add ours beside the edited
// one, which the server refuses for the name they share. A merge patch replaces the list whole.
io::Task<Status> Executor::replace_ports(Apply action) {
  const json::value* ports = wire::find(action.object, "spec.ports");
  if (ports == nullptr) co_return Status{};
  const ObjectKey key = kube::key_of(action.object);
  json::object patch{{"spec", json::object{{"ports", *ports}}}};
  const auto patched = co_await client_->patch(action.resource, key, kube::PatchType::kMerge,
                                               std::move(patch), manager());
  if (!patched) co_return fail(patched.error());
  informers_->of(action.resource)->wrote(key, kube::version_of(*patched));
  co_return Status{};
}

io::Task<Status> Executor::create_claim(CreateClaim action) {
  const ObjectKey key = kube::key_of(action.claim);
  auto kept = co_await find_kept_volume(*client_, key);
  // Never a fresh volume on a guess: without looking, kept data could be passed over.
  if (!kept) co_return fail(kept.error());
  if (*kept) {
    if (Status freed = co_await free_for_claim(*client_, **kept, manager()); !freed) {
      co_return freed;
    }
    ask_for(action.claim, **kept);
  }
  const auto created =
      co_await client_->create(kube::kPersistentVolumeClaims, std::move(action.claim), manager());
  if (created) {
    informers_->claims.wrote(key, kube::version_of(*created));
    co_return Status{};
  }
  // There already: the cache will show it, and the next pass judges it.
  if (created.error().code() == Code::kAlreadyExists) co_return Status{};
  co_return fail(created.error());
}

io::Task<Status> Executor::patch_claim(PatchClaim action) {
  const auto patched =
      co_await client_->patch(kube::kPersistentVolumeClaims, action.key, kube::PatchType::kMerge,
                              std::move(action.patch), manager());
  if (!patched) co_return fail(patched.error());
  informers_->claims.wrote(action.key, kube::version_of(*patched));
  co_return Status{};
}

io::Task<Status> Executor::protect(ProtectVolume action, std::shared_ptr<NodeState> state) {
  const ObjectKey key{{}, action.volume};
  auto volume = co_await client_->get(kube::kPersistentVolumes, key);
  if (volume) {
    json::object patch = reclaim_patch(*volume, action.retain);
    if (!patch.empty()) {
      volume = co_await client_->patch(kube::kPersistentVolumes, key, kube::PatchType::kMerge,
                                       std::move(patch), manager());
    }
  }
  if (!volume) {
    state->reclaim_errors.insert_or_assign(action.volume, volume.error());
    co_return fail(volume.error());
  }
  state->reclaim_errors.erase(action.volume);
  std::string policy(wire::find_string(*volume, "spec.persistentVolumeReclaimPolicy"));
  // Somebody else's Retain stays, and is not looked at again.
  if (!action.retain && policy == "Retain") policy = "kept";
  state->reclaim_policies[action.volume] = std::move(policy);
  co_return Status{};
}

io::Task<Status> Executor::restart(RestartPod action) {
  const auto pod = co_await client_->get(kube::kPods, action.key);
  if (!pod) {
    if (pod.error().code() == Code::kNotFound) co_return Status{};
    co_return fail(pod.error());
  }
  if (kube::uid_of(*pod) != action.uid || kube::is_deleting(*pod)) co_return Status{};
  co_return co_await remove_exactly(kube::kPods, action.key, action.uid, kube::version_of(*pod));
}

io::Task<Status> Executor::remove_exactly(kube::Resource resource, ObjectKey key, Uid uid,
                                          ResourceVersion version) {
  kube::DeleteOptions options;
  options.preconditions.uid = std::move(uid);
  options.preconditions.version = std::move(version);
  Status removed = co_await client_->remove(resource, std::move(key), options);
  if (!removed && removed.error().code() == Code::kNotFound) co_return Status{};
  co_return removed;
}

io::Task<Status> Executor::write_status(BlockNode node, BlockNodeStatus status) {
  json::object object{
      {"apiVersion", kBlockNodes.api_version()},
      {"kind", kBlockNodes.kind},
      // The UID keeps this from an object of the same name made in the meantime.
      {"metadata",
       json::object{{"name", node.key.name}, {"namespace", node.key.ns}, {"uid", node.uid.value}}},
      {"status", davit::blocknode::write_status(status)}};
  const auto written = co_await client_->apply(
      kBlockNodes, std::move(object),
      {.manager = manager(), .force = true, .dry_run = false, .status = true});
  if (!written) co_return fail(written.error());
  informers_->nodes.wrote(node.key, kube::version_of(*written));
  co_return Status{};
}

}  // namespace davit::blocknode
