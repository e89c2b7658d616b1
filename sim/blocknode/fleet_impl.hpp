// The inside of Fleet: pods and their containers, Block Nodes by name, and who answers at an
// address. Private to fleet*.cpp.
#pragma once

#include <vector>

#include "sim/blocknode/agent.hpp"
#include "sim/blocknode/container_spec.hpp"
#include "sim/blocknode/disk.hpp"
#include "sim/blocknode/fleet.hpp"
#include "sim/blocknode/publisher.hpp"
#include "sim/blocknode/server.hpp"

namespace davit::sim {

struct SimulatedContainer {
  bool running = false;
  std::optional<int> exit_code;  // ended of its own accord
  std::string message;
  std::unique_ptr<Server> server;
  std::unique_ptr<SimulatedAgent> agent;
};

struct SimulatedPod {
  std::string uid;
  ObjectKey key;
  std::string node;  // "hiero/bn1"; empty: of no BlockNode
  std::string address;
  std::map<std::string, std::shared_ptr<Disk>> scratch;  // by volume: emptyDirs, ConfigMaps
  std::map<std::string, SimulatedContainer, std::less<>> containers;
  std::uint64_t run = 0;                     // of its server; 0: none yet
  std::map<std::string, std::string> disks;  // role to PersistentVolume, of that run
  std::vector<std::shared_ptr<Disk>> held;   // those disks, to see who shares one

  [[nodiscard]] Server* server() const;
  [[nodiscard]] SimulatedAgent* agent() const;
  [[nodiscard]] bool is_alive() const;
};

struct SimulatedNode {
  standin::Faults faults;
  Fleet::Lie lie = Fleet::Lie::kNone;
  bool unreachable = false;
  Publisher publisher;
  io::CallbackId second = 0;
  unsigned starts = 0;
  std::map<std::string, std::string> disks;  // role to PersistentVolume, of the last start
};

class Fleet::Impl {
 public:
  Impl(io::Loop& loop_in, Operations& operations_in);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // ---- containers ----
  SimulatedPod& pod_of(const json::object& pod);
  SimulatedContainer* find(const ContainerRef& ref) const;
  void start(const ContainerRef& ref);
  bool probe(const ContainerRef& ref, const json::object& probe);
  // The newest pod of a node whose server process lives; null: none.
  SimulatedPod* serving_pod(const std::string& node) const;
  // Another live server has one of its disks.
  bool shares_a_disk(const SimulatedPod& pod) const;
  // The disk of a node's role, by its last start or by the name of its claim.
  std::shared_ptr<Disk> disk(const std::string& node, const std::string& role);

  // ---- probes ----
  // Takes a packet there: a few milliseconds, or silence until the deadline.
  io::Task<Status> travel(blocknode::Address to, io::Deadline deadline, bool to_server);
  // Who listens there now; a refused connection otherwise.
  Result<SimulatedPod*> at(const blocknode::Address& address) const;
  Result<Server*> server_at(const blocknode::Address& address, Server::Service service) const;
  Lie lie_at(const blocknode::Address& address) const;
  // How long an answer takes: milliseconds, or seconds from a server that lies kSlow.
  Duration quick_answer();
  Duration slow_answer();

  void publish_round(const std::string& node);

  io::Loop& loop;
  Operations& operations;
  DiskRack rack;
  ChainStore chain;
  std::map<std::string, SimulatedNode> nodes;
  LogListener log;

 private:
  std::unique_ptr<Mounts> mounts_for(SimulatedPod& pod, const json::object& object,
                                     const ContainerSpec& spec,
                                     std::map<std::string, std::string>& volumes);
  std::shared_ptr<Disk> disk_for(SimulatedPod& pod, const json::object& volume,
                                 std::string& persistent_volume);
  void start_server(SimulatedPod& pod, SimulatedContainer& container, const ContainerSpec& spec,
                    const StartOrder& order, std::unique_ptr<Mounts> mounts,
                    const std::map<std::string, std::string>& volumes);
  void forget_dead_pods();

  std::map<std::string, std::unique_ptr<SimulatedPod>> pods_;  // by UID
  std::map<std::string, SimulatedPod*> addresses_;
  std::uint64_t last_run_ = 0;
  std::uint64_t draws_ = 0;  // of latencies
};

}  // namespace davit::sim
