// PodFacts: what matters of a node's pod, read once out of its JSON. Pure; any thread; missing
// members read as empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/store.hpp"

namespace davit::blocknode {

// How a container ended.
struct Ending {
  std::int64_t code = 0;
  std::string reason;   // "Error", "OOMKilled", "Completed"
  std::string message;  // termination message, or the end of the log
  std::string at;       // RFC 3339
};

struct ContainerFacts {
  std::string image;
  std::string waiting;  // reason: "ImagePullBackOff", "CrashLoopBackOff", …; empty: not waiting
  std::string waiting_message;
  bool running = false;
  bool started = false;  // its startup probe has passed
  std::string running_since;
  std::optional<Ending> ended;       // now
  std::optional<Ending> last_ended;  // the run before
  std::int64_t restarts = 0;
};

struct PodFacts {
  Uid uid;
  std::string phase;
  std::string ip;
  std::string host;  // the Kubernetes node
  bool deleting = false;
  bool ready = false;  // for the kubelet
  bool unschedulable = false;
  std::string scheduling_message;
  std::string message;  // status.message: evicted, node lost
  std::string status_reason;
  std::string template_digest;
  std::string version;  // of the server it was made for
  std::string config;
  ContainerFacts copy_start;
  ContainerFacts server;
  ContainerFacts agent;

  // Names one run of the server: another pod or a restarted container is another run.
  [[nodiscard]] std::string run() const;
};

[[nodiscard]] PodFacts look_at_pod(const json::object& pod);

// metadata.annotations[name] and metadata.labels[name]; empty when absent.
[[nodiscard]] std::string annotation_of(const json::object& object, std::string_view name);
[[nodiscard]] std::string label_of(const json::object& object, std::string_view name);

}  // namespace davit::blocknode
