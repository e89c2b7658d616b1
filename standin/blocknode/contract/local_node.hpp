// LocalNode: a stand-in process of our own: temporary folder, free ports, ended with the object.
#pragma once

#include <sys/types.h>

#include "standin/blocknode/contract/remote_node.hpp"

namespace davit::standin {

class LocalNode final : public RemoteNode {
 public:
  explicit LocalNode(std::string program);
  ~LocalNode() override;
  LocalNode(const LocalNode&) = delete;
  LocalNode& operator=(const LocalNode&) = delete;

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
  std::string base() const override { return folder_; }

 private:
  std::string program_;
  std::string folder_;
  Target usual_;
  pid_t process_ = -1;
};

}  // namespace davit::standin
