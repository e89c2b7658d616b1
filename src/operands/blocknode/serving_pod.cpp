// The part of Serving that the kubelet and the scheduler tell: pod phase and container states.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "operands/blocknode/names.hpp"
#include "operands/blocknode/pod_facts.hpp"
#include "operands/blocknode/serving.hpp"
#include "wire/time.hpp"

namespace davit::blocknode {

namespace {

constexpr std::int64_t kRefusedByStart = 78;  // davit-start's exit code
constexpr std::int64_t kTerminated = 143;     // SIGTERM: a clean exit
constexpr auto kSettle = std::chrono::seconds(60);

// The last line that says something, cut to what fits a condition.
std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  if (const auto at = text.rfind('\n'); at != std::string_view::npos) text.remove_prefix(at + 1);
  constexpr std::size_t kLimit = 400;
  return std::string(text.substr(0, kLimit));
}

// What davit-start wrote: "VolumeIdentityMismatch: the live volume …".
std::optional<Verdict> start_refused(const Ending& ending) {
  if (ending.code != kRefusedByStart) return std::nullopt;
  const std::string_view message = ending.message;
  for (const Reason* reason :
       {&reason::kVolumeIdentityMismatch, &reason::kVolumeNotWritable, &reason::kServerNotFound}) {
    const auto at = message.find(std::string(reason->name) + ": ");
    if (at == std::string_view::npos) continue;
    return no(*reason, last_line(message.substr(at + reason->name.size() + 2)));
  }
  return no(reason::kCrashLoop,
            fmt::format("the start was refused: {}", last_line(ending.message)));
}

Verdict crashed(std::string_view container, const Ending& ending) {
  if (auto refused = start_refused(ending)) return *refused;
  if (ending.reason == "OOMKilled") {
    return no(reason::kOutOfMemory,
              fmt::format("the {} was killed at its memory limit", container));
  }
  const std::string said = last_line(ending.message);
  return no(reason::kCrashLoop,
            fmt::format("the {} ended with exit code {}{}{}", container, ending.code,
                        said.empty() ? "" : "; it last said: ", said));
}

std::optional<Verdict> judge_waiting(std::string_view name, const ContainerFacts& container,
                                     std::string_view wanted_image) {
  constexpr std::array<std::string_view, 6> kImage{"ErrImagePull",      "ImagePullBackOff",
                                                   "InvalidImageName",  "ErrImageNeverPull",
                                                   "ImageInspectError", "RegistryUnavailable"};
  constexpr std::array<std::string_view, 5> kContainer{"CreateContainerConfigError",
                                                       "CreateContainerError", "RunContainerError",
                                                       "PreStartHookError", "PostStartHookError"};
  const std::string& waiting = container.waiting;
  if (std::ranges::find(kImage, waiting) != kImage.end()) {
    return no(reason::kImagePullFailed,
              fmt::format("image {} of the {} cannot be pulled. Check spec.version, spec.image and "
                          "the pull secrets",
                          wanted_image, name));
  }
  if (std::ranges::find(kContainer, waiting) != kContainer.end()) {
    return no(reason::kContainerFailed, fmt::format("the {} cannot be started: {}", name,
                                                    last_line(container.waiting_message)));
  }
  return std::nullopt;
}

std::string image_in_spec(const json::object& pod, std::string_view list, std::string_view name) {
  const json::array* containers = wire::find_array(pod, list);
  if (containers == nullptr) return {};
  for (const json::value& value : *containers) {
    const json::object* container = value.if_object();
    if (container != nullptr && wire::find_string(*container, "name") == name) {
      return std::string(wire::find_string(*container, "image"));
    }
  }
  return {};
}

// Running, but it ended badly a moment ago: not yet believed to be better.
bool just_crashed(const ContainerFacts& server, WallTime now) {
  if (!server.running || server.started || !server.last_ended) return false;
  if (server.last_ended->code == 0 || server.last_ended->code == kTerminated) return false;
  const auto since = wire::parse_time(server.running_since);
  return since && now - *since < kSettle;
}

std::optional<Verdict> judge_scheduling(const Snapshot& snapshot, const PodFacts& pod) {
  if (!pod.host.empty()) return std::nullopt;
  std::vector<std::string> pending;
  for (const Claim& claim : snapshot.claims) {
    if (claim.state != ClaimState::kPending) continue;
    pending.push_back(claim.storage_class.empty()
                          ? fmt::format("{} (no storage class)", claim.name)
                          : fmt::format("{} (class {})", claim.name, claim.storage_class));
  }
  if (!pending.empty()) {
    if (snapshot.is_new(*snapshot.pod)) {
      return no(reason::kCreating, "the node's claims are being bound");
    }
    const auto note =
        snapshot.claim_notes.find(pending.front().substr(0, pending.front().find(' ')));
    return no(reason::kClaimPending,
              fmt::format("not bound: {}{}{}. Check the storage class and its provisioner",
                          fmt::join(pending, ", "),
                          note == snapshot.claim_notes.end() ? "" : "; the cluster says: ",
                          note == snapshot.claim_notes.end() ? "" : note->second));
  }
  if (pod.unschedulable) return no(reason::kUnschedulable, pod.scheduling_message);
  return no(reason::kStarting, "the pod waits for the scheduler");
}

}  // namespace

std::optional<Verdict> judge_pod(const Snapshot& snapshot) {
  const json::object& object = *snapshot.pod;
  const PodFacts pod = look_at_pod(object);
  if (pod.deleting) {
    return no(reason::kRestarting, fmt::format("pod {} is ending", pod_name(snapshot.node.key)));
  }
  if (auto verdict = judge_scheduling(snapshot, pod)) return verdict;
  if (pod.phase == "Failed" && !pod.status_reason.empty()) {
    return no(reason::kRestarting,
              fmt::format("the pod failed: {}: {}", pod.status_reason, last_line(pod.message)));
  }
  const auto image = [&object](std::string_view list, std::string_view name) {
    return image_in_spec(object, list, name);
  };
  if (auto verdict = judge_waiting("start wrapper (Davit's image)", pod.copy_start,
                                   image("spec.initContainers", "copy-start"))) {
    return verdict;
  }
  if (pod.copy_start.waiting == "CrashLoopBackOff" && pod.copy_start.last_ended) {
    return crashed("init container copy-start", *pod.copy_start.last_ended);
  }
  if (auto verdict = judge_waiting("server", pod.server, image("spec.containers", "server"))) {
    return verdict;
  }
  if (auto verdict =
          judge_waiting("agent (Davit's image)", pod.agent, image("spec.containers", "agent"))) {
    return verdict;
  }
  if (pod.server.ended) return crashed("server", *pod.server.ended);
  if (pod.server.waiting == "CrashLoopBackOff") {
    return pod.server.last_ended ? crashed("server", *pod.server.last_ended)
                                 : no(reason::kCrashLoop, "the server ends soon after each start");
  }
  if (just_crashed(pod.server, snapshot.wall)) return crashed("server", *pod.server.last_ended);
  if (!pod.server.running) return no(reason::kStarting, "the containers are being created");
  if (pod.agent.waiting == "CrashLoopBackOff") {
    return no(
        reason::kAgentFailed,
        fmt::format("the agent ends soon after each start{}{}", pod.agent.last_ended ? ": " : "",
                    pod.agent.last_ended ? last_line(pod.agent.last_ended->message) : ""));
  }
  return std::nullopt;
}

}  // namespace davit::blocknode
