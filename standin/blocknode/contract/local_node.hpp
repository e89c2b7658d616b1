// A stand-in process of the contract test: temporary folder, free ports, ended with the object.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "standin/blocknode/contract/contract.hpp"

namespace davit::standin {

class LocalNode {
 public:
  using Variables = std::map<std::string, std::string>;

  explicit LocalNode(std::string program);
  ~LocalNode();
  LocalNode(const LocalNode&) = delete;
  LocalNode& operator=(const LocalNode&) = delete;

  void start(const Variables& more = {});
  void wait_ready() const;
  std::optional<int> wait_exit(std::chrono::milliseconds patience);
  void signal(int number) const;
  // Runs `publish` or `subscribe`, for so many seconds at most; gives the exit code, 124: cut off.
  int run_tool(const std::string& arguments, int seconds = 60) const;

  const Target& target() const { return target_; }
  const std::string& folder() const { return folder_; }
  std::string log() const;
  std::string grpc_address() const { return target_.publish; }

 private:
  std::string program_;
  std::string folder_;
  Target target_;
  pid_t process_ = -1;
};

}  // namespace davit::standin
