#include "operands/blocknode/status_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/mutant.hpp"
#include "operands/blocknode/names.hpp"
#include "operands/blocknode/pod_facts.hpp"
#include "operands/blocknode/reasons.hpp"
#include "operands/blocknode/types_schema.hpp"
#include "wire/time.hpp"

namespace davit::blocknode {

namespace {

std::optional<std::int64_t> as_signed(const std::optional<std::uint64_t>& number) {
  return number ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
}

const VolumeReport* use_of(const Snapshot& snapshot, std::string_view role) {
  const auto& round = snapshot.observation.last;
  if (!round || !round->agent) return nullptr;
  const auto found = std::ranges::find(round->agent->volumes, role, &VolumeReport::role);
  return found == round->agent->volumes.end() ? nullptr : &*found;
}

void fill_volumes(const Snapshot& snapshot, BlockNodeStatus& status) {
  std::optional<std::int64_t> fullest;
  for (const Claim& claim : snapshot.claims) {
    VolumeStatus volume;
    volume.name = std::string(claim.layout->key);
    volume.claim = claim.name;
    if (!claim.capacity.empty()) volume.size = claim.capacity;
    switch (claim.state) {
      case ClaimState::kPending:
        volume.phase = "Pending";
        break;
      case ClaimState::kBound:
        volume.phase = "Bound";
        break;
      case ClaimState::kLost:
        volume.phase = "Lost";
        break;
      default:
        break;
    }
    if (const VolumeReport* use = use_of(snapshot, claim.layout->suffix)) {
      volume.used_percent = use->used_percent();
      if (claim.layout->data) fullest = std::max(fullest.value_or(0), *volume.used_percent);
    } else {
      // The last word stands until there is a newer one.
      const auto& before = snapshot.node.status.volumes;
      const auto found = std::ranges::find(before, volume.name, &VolumeStatus::name);
      if (found != before.end()) volume.used_percent = found->used_percent;
    }
    status.volumes.push_back(std::move(volume));
  }
  status.free_percent =
      fullest ? std::optional<std::int64_t>(100 - *fullest) : snapshot.node.status.free_percent;
}

std::optional<std::string> endpoint_of(const Snapshot& snapshot) {
  if (snapshot.client_service == nullptr) return std::nullopt;
  const json::object& service = *snapshot.client_service;
  const std::string_view type = wire::find_string(service, "spec.type");
  const ObjectKey key = kube::key_of(service);
  if (type == "LoadBalancer") {
    const json::array* ingress = wire::find_array(service, "status.loadBalancer.ingress");
    if (ingress == nullptr || ingress->empty() || !ingress->front().is_object()) {
      return std::nullopt;
    }
    const json::object& first = ingress->front().as_object();
    const std::string_view ip = wire::find_string(first, "ip");
    return fmt::format("{}:{}", ip.empty() ? wire::find_string(first, "hostname") : ip, kGrpcPort);
  }
  return fmt::format("{}.{}.svc:{}", key.name, key.ns, kGrpcPort);
}

std::optional<std::string> last_error(const Snapshot& snapshot,
                                      const std::optional<Verdict>& ready) {
  const auto& before = snapshot.node.status.last_error;
  if (!ready || ready->status != "False" || !ready->reason->stalled_after) return before;
  for (const Reason* calm : {&reason::kStarting, &reason::kRestarting, &reason::kCreating,
                             &reason::kVerifying, &reason::kScanning}) {
    if (ready->reason == calm) return before;
  }
  const std::string text = fmt::format("{}: {}", ready->reason->name, ready->message);
  if (before && before->starts_with(text)) return before;
  return fmt::format("{} ({})", text, format_time(snapshot.wall));
}

// What moves by itself.
BlockNodeStatus without_volatile(BlockNodeStatus status) {
  status.first_block.reset();
  status.last_block.reset();
  status.as_of.reset();
  status.free_percent.reset();
  for (VolumeStatus& volume : status.volumes) volume.used_percent.reset();
  return status;
}

}  // namespace

void fill_fields(const Snapshot& snapshot, const Plan& plan, const std::optional<Verdict>& ready,
                 BlockNodeStatus& status) {
  const BlockNodeStatus& before = snapshot.node.status;
  status.observed_generation = snapshot.node.generation;
  status.compatibility_version = plan.form;
  status.first_block = before.first_block;
  status.last_block = before.last_block;
  status.as_of = before.as_of;
  const Observation& seen = snapshot.observation;
  const bool went_back = ready && ready->reason == &reason::kHeightWentBack;
  if (seen.heights && !went_back) {
    status.first_block = as_signed(seen.heights->first);
    status.last_block = as_signed(seen.heights->last);
  }
  if (seen.last) status.as_of = format_time(snapshot.wall);
  status.version = seen.detail ? std::optional(seen.detail->version) : before.version;
  status.endpoint = endpoint_of(snapshot);
  if (snapshot.pod != nullptr) {
    const PodFacts pod = look_at_pod(*snapshot.pod);
    if (!pod.host.empty()) status.node_name = pod.host;
    if (!pod.config.empty()) status.config_hash = pod.config;
    status.restart_count = pod.server.restarts;
  } else if (!snapshot.sees(kube::kPods)) {
    status.node_name = before.node_name;
    status.config_hash = before.config_hash;
    status.restart_count = before.restart_count;
  }
  fill_volumes(snapshot, status);
  status.last_error = last_error(snapshot, ready);
}

bool worth_writing(const Snapshot& snapshot, const BlockNodeStatus& status,
                   const Settings& settings) {
  if (mutant(kStatusEveryPass)) return true;
  const BlockNodeStatus& before = snapshot.node.status;
  if (write_status(without_volatile(status)) != write_status(without_volatile(before))) return true;
  BlockNodeStatus same_time = status;
  same_time.as_of = before.as_of;
  if (write_status(same_time) == write_status(before)) return false;
  if (!before.as_of) return true;
  const auto written = wire::parse_time(*before.as_of);
  return !written || snapshot.wall - *written >= settings.status_interval;
}

}  // namespace davit::blocknode
