// RemoteNode: a server that runs somewhere, seen over the network. Only read; the rest throws Skip.
// Blocking calls.
#pragma once

#include "io/asio_loop.hpp"
#include "operands/blocknode/probe_client.hpp"
#include "standin/blocknode/contract/node.hpp"

namespace davit::standin {

class RemoteNode : public Node {
 public:
  explicit RemoteNode(Target target) : target_(std::move(target)) {}

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
  blocknode::NodeProbe& probe() override { return probe_; }
  io::Deadline soon() override { return io::Deadline::after(loop_, std::chrono::seconds(5)); }
  void wait(std::chrono::milliseconds time) override;
  std::uint16_t free_port() override;

  void start(const Variables& variables) override;
  void terminate() override;
  std::optional<int> exit_code() override;
  std::string log() override;
  void set_faults(const std::string& lines) override;
  bool publish(unsigned count, std::chrono::seconds patience) override;
  std::optional<std::uint64_t> file_size(const std::string& path) override;
  std::string read_file(const std::string& path) override;
  void write_file(const std::string& path, const std::string& bytes) override;
  bool is_empty(const std::string& folder) override;
  std::string base() const override;
  bool starts_through_wrapper() const override { return false; }

 protected:
  Target target_;

 private:
  void run(io::Task<void> task) override;

  io::AsioLoop loop_;
  blocknode::ProbeClient probe_{loop_};
};

}  // namespace davit::standin
