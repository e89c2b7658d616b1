// World: one simulated cluster with everything in it: the API server, its controllers, Block
// Nodes, and Davit's own processes, the very code of the product, on virtual time from one seed.
//
//   World world({.seed = 7});
//   world.start();
//   world.apply("user", sample_block_node("bn1"));
//   world.advance(std::chrono::minutes(3));
//   world.word("bn1", "Ready") == "True/Serving"
//
// The API server knows Davit's process n as user "davit-n", with the rights of its own access
// tables and no more. One thread. The same seed and the same calls give the same life, to the
// last byte of the log.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "sim/api_server.hpp"
#include "sim/blocknode/fleet.hpp"
#include "sim/controllers/cluster.hpp"
#include "sim/life/network.hpp"
#include "sim/virtual_loop.hpp"

namespace davit::sim {

struct Process;

struct WorldOptions {
  std::uint64_t seed = 1;
  unsigned replicas = 1;  // of Davit that may run; leader election is on with more than one
  unsigned workers = 2;   // Ready nodes at the start
  Duration hold{std::chrono::seconds(60)};  // what Ready must hold before it is said
};

class World {
 public:
  explicit World(WorldOptions options = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  VirtualLoop loop;
  SeededRandom random;
  ApiServer server;
  Network network;
  Cluster cluster;
  Fleet fleet;

  // ---- Davit as processes ----
  void start(unsigned replica = 0);
  // As SIGKILL: nothing more is sent.
  void stop(unsigned replica = 0);
  // Stops between two callbacks, and starts again after `down`: safe to call from within a fault.
  void crash_soon(unsigned replica = 0, Duration down = Duration{0});
  // Crashes when the n-th write from now has had its effect and before its reply is seen.
  void crash_after_write(unsigned replica, unsigned nth, Duration down);
  // Crashes after the n-th callback of the world, counted from its beginning: destruction at any
  // suspension point.
  void crash_at_turn(std::uint64_t turn) { crash_turn_ = turn; }
  [[nodiscard]] bool runs(unsigned replica = 0) const;
  // SIGSTOP for `time`; its monotonic clock goes on, or stands as in a suspended machine.
  void pause(unsigned replica, Duration time, bool clock_stands);
  [[nodiscard]] static std::string user_of(unsigned replica) {
    return "davit-" + std::to_string(replica);
  }
  [[nodiscard]] static bool is_davit(std::string_view user) { return user.starts_with("davit-"); }
  // Rights of all replicas: taken away by kind, and given back.
  void forbid(const kube::Resource& resource);
  void allow_all();
  // What Davit logs, a line each, of processes started from now on.
  void on_log(std::function<void(std::string_view)> line) { log_line_ = std::move(line); }
  // Told in half a sentence when a process starts or ends: "davit-0 starts".
  void on_process(std::function<void(std::string_view)> told) { process_told_ = std::move(told); }
  [[nodiscard]] std::size_t crashes() const { return crash_count_; }
  [[nodiscard]] std::size_t starts() const { return start_count_; }
  // Of one replica: tells one life of its process from the next.
  [[nodiscard]] std::size_t starts(unsigned replica) const {
    return replica < starts_of_.size() ? starts_of_[replica] : 0;
  }
  // When a pause in which its clock stood last ended: it cannot know that time has passed.
  [[nodiscard]] std::optional<Monotonic> woken(unsigned replica) const {
    const auto at = woken_.find(replica);
    return at == woken_.end() ? std::nullopt : std::optional(at->second);
  }
  // Exceptions that ended a process, in their order. A bug each.
  [[nodiscard]] const std::vector<std::string>& exceptions() const { return exceptions_; }

  // Runs `what` later, unless faults are called off before.
  void later(Duration time, std::function<void()> what);
  // Faults end, and whoever was stopped, paused or forbidden works again; what was done stays done.
  void calm();
  // What acts remember: "edit hiero/bn1" is the spec before the last edit.
  std::map<std::string, json::value> memory;
  // BlockNodes ("hiero/bn1") whose servers and disks were tampered with.
  std::set<std::string> tampered;

  // ---- time ----
  // Throws std::runtime_error when callbacks run on and on while no time passes.
  void advance(Duration time);
  // After every callback that ran; for judges and mutants. One at most.
  void on_turn(std::function<void()> look) { on_turn_ = std::move(look); }
  [[nodiscard]] std::uint64_t turns() const { return turns_; }

  // ---- what people do; through the API server, so that it may refuse ----
  Answer<Object> apply(const std::string& manager, json::object object);
  bool edit(const kube::Resource& resource, const ObjectKey& key,
            const std::function<void(json::object&)>& change, const std::string& subresource = {});
  void remove(const kube::Resource& resource, const ObjectKey& key, DeleteOptions options = {});

  // ---- what is ----
  [[nodiscard]] Object get(const kube::Resource& resource, const ObjectKey& key) const;
  [[nodiscard]] std::vector<Object> all(const kube::Resource& resource) const;
  // "True/Serving", or "(none)"; of a BlockNode in namespace "hiero".
  [[nodiscard]] std::string word(const std::string& name, std::string_view condition) const;
  // By all of Davit's processes since the log was cleared.
  [[nodiscard]] std::size_t davit_writes() const;
  [[nodiscard]] const WorldOptions& options() const { return options_; }

 private:
  void install();
  void crash_now(unsigned replica, Duration down);
  void after_turn();
  void tell(unsigned replica, std::string_view what) const;
  [[nodiscard]] const ResourceType& type(const kube::Resource& resource) const;

  struct PendingCrash {
    unsigned replica = 0;
    unsigned writes = 0;  // still to come
    Duration down{0};
  };
  WorldOptions options_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::map<unsigned, Duration> crashes_;     // asked for, not carried out yet
  std::vector<PendingCrash> write_crashes_;  // wait for their write
  std::vector<kube::Resource> forbidden_;
  std::vector<io::CallbackId> restarts_;  // and ends of pauses
  std::vector<io::CallbackId> later_;
  std::function<void()> on_turn_;
  std::function<void(std::string_view)> log_line_;
  std::function<void(std::string_view)> process_told_;
  std::vector<std::string> exceptions_;
  std::uint64_t turns_ = 0;
  std::uint64_t crash_turn_ = 0;
  std::size_t crash_count_ = 0;
  std::size_t start_count_ = 0;
  std::vector<std::size_t> starts_of_;  // by replica
  std::map<unsigned, Monotonic> woken_;
};

// A BlockNode a user would write, small: namespace "hiero", network "solo", tier 1.
[[nodiscard]] json::object sample_block_node(const std::string& name);

}  // namespace davit::sim
