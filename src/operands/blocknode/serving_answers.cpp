// The part of Serving that the node itself tells: the answers of the last round.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "operands/blocknode/health.hpp"
#include "operands/blocknode/pod_facts.hpp"
#include "operands/blocknode/serving.hpp"

namespace davit::blocknode {

namespace {

std::optional<Verdict> judge_health(const Round& round, const PodFacts& pod, bool was_healthy) {
  if (round.health && round.health->status == 200) return std::nullopt;
  if (round.health) {
    return no(reason::kUnhealthy, fmt::format("the server answers its health check with {}: {}",
                                              round.health->status, round.health->body));
  }
  const bool started = was_healthy || pod.server.started;
  if (!started) {
    return no(reason::kScanning,
              fmt::format("the server runs since {} and does not answer yet: it reads its disks. "
                          "It is not restarted for this; the log shows its progress",
                          pod.server.running_since));
  }
  if (round.lost() && pod.ready) {
    return unknown(reason::kProbeUnreachable,
                   fmt::format("Davit cannot reach {}, but the kubelet can: {}. Check "
                               "NetworkPolicies. The node is left alone",
                               pod.ip, round.health.error().message()));
  }
  return no(reason::kUnhealthy, fmt::format("the server answered before, but its health port does "
                                            "not answer now: {}",
                                            round.health.error().message()));
}

// The highest block Davit knows this node had, unless a person accepted less.
std::optional<Verdict> judge_height(const Snapshot& snapshot) {
  const auto& known = snapshot.node.status.last_block;
  if (!known || !snapshot.observation.heights) return std::nullopt;
  const auto& last = snapshot.observation.heights->last;
  const auto had = static_cast<std::uint64_t>(*known);
  if (last && *last >= had) return std::nullopt;
  std::uint64_t accepted = 0;
  const std::string& text = snapshot.accept_height;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), accepted);
  if (text == "none" && !last) return std::nullopt;
  if (!text.empty() && parsed.ec == std::errc() && last && *last >= accepted) return std::nullopt;
  return no(reason::kHeightWentBack,
            fmt::format("the node had block {} and now has {}. If that is expected, annotate it "
                        "with davit.hiero.org/accept-height: \"{}\"",
                        had, last ? fmt::format("nothing above block {}", *last) : "none",
                        last ? std::to_string(*last) : "none"));
}

}  // namespace

std::optional<Verdict> judge_answers(const Snapshot& snapshot) {
  const PodFacts pod = look_at_pod(*snapshot.pod);
  const Observation& seen = snapshot.observation;
  if (!seen.last || seen.run != pod.run()) {
    // Until it is asked, the stored conditions hold; but a new start of a node that was Ready is
    // told.
    const Condition* ready = stored(snapshot.node, "Ready");
    const bool news = ready == nullptr || ready->status == "True";
    if (news && !pod.server.started) {
      return no(reason::kStarting, "the server has just been started");
    }
    return std::nullopt;
  }
  const Round& round = *seen.last;
  if (auto verdict = judge_health(round, pod, seen.was_healthy)) return verdict;
  if (!round.heights) {
    return no(reason::kPortSilent, fmt::format("the server is healthy, but does not answer "
                                               "serverStatus: {}",
                                               round.heights.error().message()));
  }
  if (!round.silent_ports.empty()) {
    return no(reason::kPortSilent,
              fmt::format("no connection to port {}", fmt::join(round.silent_ports, ", ")));
  }
  if (round.agent) {
    if (auto verdict = judge_writes(*round.agent)) return verdict;
  } else {
    return no(reason::kAgentFailed,
              fmt::format("the agent does not report: {}", round.agent.error().message()));
  }
  if (seen.detail && !pod.version.empty() && seen.detail->version != pod.version) {
    return no(reason::kVersionMismatch,
              fmt::format("the server says it is {}, wanted is {}. Check spec.image",
                          seen.detail->version, pod.version));
  }
  if (seen.block_problem && !seen.block_problem->empty()) {
    return no(reason::kBlockUnreadable, *seen.block_problem);
  }
  if (auto verdict = judge_height(snapshot)) return verdict;
  const bool blocks = seen.heights && seen.heights->last;
  if (!seen.detail || (blocks && !seen.block_problem && snapshot.node.spec.profile != "RFH")) {
    return no(reason::kVerifying, "the server answers; its version and blocks are being checked");
  }
  return yes(reason::kServing, "every check on the node passes");
}

}  // namespace davit::blocknode
