// NodeProbe: how Davit asks a Block Node itself. The seam that the simulator implements.
//
// All by pod address. A refused connection is kUnavailable, silence kDeadlineExceeded: facts about
// the node, never a reason to restart it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/http.hpp"

namespace davit::blocknode {

struct Address {
  std::string host;  // pod IP
  std::uint16_t port = 0;
};

struct HealthReply {
  unsigned status = 0;  // HTTP
  std::string body;
};

// Empty node: nullopt (uint64 max on the wire; blocknode.md §6.3).
struct ServerStatus {
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> last;
};

struct ServerDetail {
  std::string version;               // "0.40.1"
  std::vector<std::string> plugins;  // ids as the server lists them
};

// What is known of one block: enough to see that it decodes, is not empty and links to its parent.
struct BlockReply {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::uint64_t items = 0;
};

class NodeProbe {
 public:
  virtual ~NodeProbe() = default;
  virtual io::Task<Result<HealthReply>> health(Address health, io::Deadline deadline) = 0;
  virtual io::Task<Result<ServerStatus>> server_status(Address grpc, io::Deadline deadline) = 0;
  virtual io::Task<Result<ServerDetail>> server_detail(Address grpc, io::Deadline deadline) = 0;
  // kNotFound when the node does not have it.
  virtual io::Task<Result<BlockReply>> block(Address grpc, std::uint64_t number,
                                             io::Deadline deadline) = 0;
  // OpenMetrics text; kTooManyRequests when somebody else is scraping.
  virtual io::Task<Result<std::string>> metrics(Address metrics, io::Deadline deadline) = 0;
  // Something accepts a connection there.
  virtual io::Task<Status> speaks(Address port, io::Deadline deadline) = 0;
  // JSON of the agent (volumes: use, write tests); see agent_report.hpp.
  virtual io::Task<Result<std::string>> agent_report(Address agent, io::Deadline deadline) = 0;
};

}  // namespace davit::blocknode
