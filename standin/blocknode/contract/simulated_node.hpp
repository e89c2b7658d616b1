// SimulatedNode: a pod of the simulator's Fleet, with Davit's own objects around it, in virtual
// time.
#pragma once

#include "sim/blocknode/fleet_rig.hpp"
#include "sim/blocknode/server.hpp"
#include "standin/blocknode/contract/node.hpp"

namespace davit::standin {

class SimulatedNode final : public Node {
 public:
  SimulatedNode();

  Target target() const override { return target_; }
  HttpResult http(std::uint16_t port, const std::string& path, const std::string& method) override;
  std::pair<HttpResult, HttpResult> scrape_twice() override;
  std::optional<org::hiero::block::api::ServerStatusResponse> server_status(
      const std::string& at) override;
  std::optional<org::hiero::block::api::ServerStatusDetailResponse> server_detail(
      const std::string& at) override;
  std::optional<org::hiero::block::api::BlockResponse> get_block(
      const std::string& at, const org::hiero::block::api::BlockRequest& request) override;
  Subscribed subscribe(const std::string& at,
                       const org::hiero::block::api::SubscribeStreamRequest& request) override;
  int call_unknown_method(const std::string& at) override;
  blocknode::NodeProbe& probe() override { return rig_.fleet; }
  io::Deadline soon() override;

  void start(const Variables& variables) override;
  void terminate() override;
  std::optional<int> exit_code() override;
  std::string log() override { return log_; }
  void set_faults(const std::string& lines) override;
  std::uint16_t free_port() override { return next_port_++; }
  void wait(std::chrono::milliseconds time) override { rig_.advance(time); }
  bool publish(unsigned count, std::chrono::seconds patience) override;

  std::optional<std::uint64_t> file_size(const std::string& path) override;
  std::string read_file(const std::string& path) override;
  void write_file(const std::string& path, const std::string& bytes) override;
  bool is_empty(const std::string& folder) override;
  std::string base() const override;
  bool starts_through_wrapper() const override { return true; }

 private:
  // The server if the service is served there; null: no answer.
  sim::Server* at(const std::string& address, sim::Server::Service service) const;
  // The disk below the base folder that holds a path, and where on it.
  struct Place {
    Volume* files = nullptr;
    std::string path;
  };
  Place place(const std::string& path) const;
  void run(io::Task<void> task) override;

  sim::FleetRig rig_;
  Target target_;
  Environment environment_;
  std::string log_;
  std::uint16_t next_port_ = 41000;
};

}  // namespace davit::standin
