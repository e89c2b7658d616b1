#include "operands/blocknode/action.hpp"

#include <fmt/format.h>

namespace davit::blocknode {

namespace {

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};

}  // namespace

std::string describe(const Action& action) {
  return std::visit(
      Overloaded{
          [](const Apply& a) {
            return fmt::format("apply {}/{}", a.resource.plural, kube::key_of(a.object).name);
          },
          [](const CreateClaim& a) {
            return fmt::format("create persistentvolumeclaims/{}", kube::key_of(a.claim).name);
          },
          [](const PatchClaim& a) {
            return fmt::format("{} persistentvolumeclaims/{}", a.why, a.key.name);
          },
          [](const ProtectVolume& a) {
            return fmt::format("{} persistentvolumes/{}",
                               a.retain ? "retain" : "restore the reclaim policy of", a.volume);
          },
          [](const RestartPod& a) { return fmt::format("restart pods/{}: {}", a.key.name, a.why); },
          [](const RemoveBudget& a) {
            return fmt::format("delete poddisruptionbudgets/{}", a.key.name);
          }},
      action);
}

kube::Resource resource_of(const Action& action) {
  return std::visit(Overloaded{[](const Apply& a) { return a.resource; },
                               [](const CreateClaim&) { return kube::kPersistentVolumeClaims; },
                               [](const PatchClaim&) { return kube::kPersistentVolumeClaims; },
                               [](const ProtectVolume&) { return kube::kPersistentVolumes; },
                               [](const RestartPod&) { return kube::kPods; },
                               [](const RemoveBudget&) { return kube::kPodDisruptionBudgets; }},
                    action);
}

bool is_essential(const Action& action) {
  if (const auto* apply = std::get_if<Apply>(&action)) {
    const bool client_service = apply->resource == kube::kServices &&
                                wire::find_string(apply->object, "spec.clusterIP") != "None";
    return !client_service && apply->resource != kube::kPodDisruptionBudgets;
  }
  return std::holds_alternative<CreateClaim>(action) || std::holds_alternative<RestartPod>(action);
}

}  // namespace davit::blocknode
