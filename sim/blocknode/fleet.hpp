// Fleet: every Block Node of a simulated cluster: the servers in the pods, the disks below them,
// publishers in front of them, and NodeProbe, Davit's way to ask them.
//
// A server is standin::NodeModel (the behaviour of the stand-in, written once) over a disk per
// PersistentVolume: disks outlive pods, claims and nodes, as real ones do. The start wrapper's
// checks (identity of volumes, broken files) and the agent's reports come from the same facts.
// Other containers simply run.
//
//   Fleet fleet(loop, server.operations());
//   cluster.kubelet().set_runtime(fleet);
//   fleet.publish("hiero/bn1", 10);           // blocks a second
//   fleet.set_faults("hiero/bn1", faults);    // crash, hang, stall: as in standin/README.md
//
// One thread: that of the loop. Must outlive the kubelet's use of it and every probe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "io/loop.hpp"
#include "operands/blocknode/node_probe.hpp"
#include "sim/controllers/container_runtime.hpp"
#include "sim/operations.hpp"
#include "standin/blocknode/model/faults.hpp"
#include "standin/blocknode/model/volume.hpp"

namespace davit::sim {

class Server;

class Fleet final : public ContainerRuntime, public blocknode::NodeProbe {
 public:
  Fleet(io::Loop& loop, Operations& operations);
  ~Fleet() override;
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  // ---- what a test or a schedule does; nodes are "namespace/name" of the BlockNode ----
  // A publisher that sends so many valid blocks each `period` while it can; 0: it goes away. It
  // goes on from what the node asks for, as a consensus node does.
  void publish(const std::string& node, unsigned blocks, Duration period = std::chrono::seconds(1));
  void set_faults(const std::string& node, const standin::Faults& faults);
  // Davit cannot reach the pods (the kubelet can).
  void set_unreachable(const std::string& node, bool on);
  // The server answers nonsense, an error, or nothing; what the operator must not believe.
  enum class Lie { kNone, kHealthyWhileDead, kEmptyStatus, kOldVersion, kGarbage, kSlow };
  void set_lie(const std::string& node, Lie lie);
  // The disk of a volume role ("live", "application-state", …) is full, read-only, or emptied
  // behind everybody's back. Nothing happens while the node has no such disk.
  void fill_disk(const std::string& node, const std::string& role, bool full);
  void set_read_only(const std::string& node, const std::string& role, bool on);
  void empty_disk(const std::string& node, const std::string& role);

  // Hears every line that a server logs.
  using LogListener = std::function<void(const std::string& node, const standin::LogLine& line)>;
  void listen(LogListener listener);

  // ---- what is: for judges, never through Davit's eyes ----
  struct Truth {
    bool running = false;  // the server process lives and every port speaks
    std::string version;
    std::set<std::string> plugins;
    std::optional<std::uint64_t> first, last;
    std::optional<std::uint64_t> sent;  // the highest block that was ever sent to it
    std::size_t publishers = 0;
    // By volume role ("live", "application-state"): which disk (name of the PersistentVolume) the
    // server writes to.
    std::map<std::string, std::string> disks;
    // Another live server writes to one of its disks: what must never be.
    bool shares_a_disk = false;
    unsigned starts = 0;  // of the server process, since the node was first seen
  };
  [[nodiscard]] Truth truth(const std::string& node) const;
  // The newest server process of a node while it lives; null: none. For the contract test.
  [[nodiscard]] Server* server(const std::string& node) const;
  // The files on the disk of a role; null: no such disk.
  [[nodiscard]] standin::Volume* files(const std::string& node, const std::string& role) const;
  // Blocks held on a disk, whoever mounts it; nullopt: no such disk (deleted with its volume).
  [[nodiscard]] std::optional<std::uint64_t> blocks_on(const std::string& volume) const;

  // ---- ContainerRuntime ----
  void start(const ContainerRef& container) override;
  ContainerLook look(const ContainerRef& container) override;
  bool probe(const ContainerRef& container, const json::object& probe) override;
  bool terminate(const ContainerRef& container) override;
  void kill(const ContainerRef& container) override;

  // ---- NodeProbe ----
  io::Task<Result<blocknode::HealthReply>> health(blocknode::Address health,
                                                  io::Deadline deadline) override;
  io::Task<Result<blocknode::ServerStatus>> server_status(blocknode::Address grpc,
                                                          io::Deadline deadline) override;
  io::Task<Result<blocknode::ServerDetail>> server_detail(blocknode::Address grpc,
                                                          io::Deadline deadline) override;
  io::Task<Result<blocknode::BlockReply>> block(blocknode::Address grpc, std::uint64_t number,
                                                io::Deadline deadline) override;
  io::Task<Result<std::string>> metrics(blocknode::Address metrics, io::Deadline deadline) override;
  io::Task<Status> speaks(blocknode::Address port, io::Deadline deadline) override;
  io::Task<Result<std::string>> agent_report(blocknode::Address agent,
                                             io::Deadline deadline) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace davit::sim
