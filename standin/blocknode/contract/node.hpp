// Node: one Block Node under the contract, as its clients, Davit's probe and its host see it.
//
// Three kinds: RemoteNode (a server that runs somewhere; nothing is changed), LocalNode (a stand-in
// process of our own), SimulatedNode (a pod of the Fleet, in virtual time). What a kind cannot show
// throws Skip.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "blocknode/messages.pb.h"
#include "operands/blocknode/node_probe.hpp"

namespace davit::standin {

struct Target {
  std::string host;
  std::uint16_t grpc = 40840;
  std::uint16_t health = 40983;
  std::uint16_t metrics = 16007;
  std::string publish;  // host:port of each service; by default the shared port
  std::string subscribe;
  std::string access;
  std::string status;
};

struct Skip {
  std::string why;
};

struct HttpResult {
  int status = 0;  // 0: no connection or no answer
  std::string head;
  std::string body;
};

class Node {
 public:
  using Variables = std::map<std::string, std::string>;
  using Subscribed = std::vector<org::hiero::block::api::SubscribeStreamResponse>;

  virtual ~Node() = default;
  [[nodiscard]] virtual Target target() const = 0;

  // ---- what clients see; `at` is a host:port ----
  virtual HttpResult http(std::uint16_t port, const std::string& path,
                          const std::string& method = "GET") = 0;
  // Two scrapes of the metrics at the same time, the first a little earlier.
  virtual std::pair<HttpResult, HttpResult> scrape_twice() = 0;
  virtual std::optional<org::hiero::block::api::ServerStatusResponse> server_status(
      const std::string& at) = 0;
  virtual std::optional<org::hiero::block::api::ServerStatusDetailResponse> server_detail(
      const std::string& at) = 0;
  virtual std::optional<org::hiero::block::api::BlockResponse> get_block(
      const std::string& at, const org::hiero::block::api::BlockRequest& request) = 0;
  // Until the stream ends.
  virtual Subscribed subscribe(const std::string& at,
                               const org::hiero::block::api::SubscribeStreamRequest& request) = 0;
  // The grpc-status of a method the server does not know.
  virtual int call_unknown_method(const std::string& at) = 0;

  // ---- what Davit sees ----
  virtual blocknode::NodeProbe& probe() = 0;
  virtual io::Deadline soon() = 0;
  template <typename T>
  T ask(io::Task<T> question) {
    std::optional<T> answer;
    run(keep(std::move(question), answer));
    return std::move(answer.value());
  }

  // ---- the process ----
  // Again after an end: a new process on the same disks. Variables: those of its environment that
  // are not the usual ones.
  virtual void start(const Variables& variables = {}) = 0;
  virtual void terminate() = 0;  // SIGTERM
  virtual std::optional<int> exit_code() = 0;
  virtual std::string log() = 0;
  // Lines of the stand-in's control file, in force on return.
  virtual void set_faults(const std::string& lines) = 0;
  virtual std::uint16_t free_port() = 0;
  virtual void wait(std::chrono::milliseconds time) = 0;
  // True: so many blocks more were acknowledged in time.
  virtual bool publish(unsigned count, std::chrono::seconds patience) = 0;

  // ---- its files, below the base folder ----
  virtual std::optional<std::uint64_t> file_size(const std::string& path) = 0;
  virtual std::string read_file(const std::string& path) = 0;
  virtual void write_file(const std::string& path, const std::string& bytes) = 0;
  // Has no entries.
  virtual bool is_empty(const std::string& folder) = 0;
  [[nodiscard]] virtual std::string base() const = 0;
  // Davit's wrapper looks at the disks before each start.
  [[nodiscard]] virtual bool starts_through_wrapper() const = 0;

  void wait_ready();
  std::optional<int> wait_exit(std::chrono::milliseconds patience);

 private:
  template <typename T>
  static io::Task<void> keep(io::Task<T> question, std::optional<T>& answer) {
    answer.emplace(co_await std::move(question));
  }
  virtual void run(io::Task<void> task) = 0;
};

}  // namespace davit::standin
