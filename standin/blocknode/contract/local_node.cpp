#include "standin/blocknode/contract/local_node.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "standin/blocknode/contract/http_get.hpp"

namespace davit::standin {

LocalNode::LocalNode(std::string program) : program_(std::move(program)) {
  std::string name = (std::filesystem::temp_directory_path() / "standin-XXXXXX").string();
  folder_ = mkdtemp(name.data());
  target_ = {
      .host = "127.0.0.1", .grpc = free_port(), .health = free_port(), .metrics = free_port()};
  target_.publish = "127.0.0.1:" + std::to_string(target_.grpc);
  target_.subscribe = target_.access = target_.status = target_.publish;
}

LocalNode::~LocalNode() {
  if (process_ > 0) {
    signal(SIGKILL);
    (void)wait_exit(std::chrono::seconds(5));
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void LocalNode::start(const Variables& more) {
  Variables variables = {
      {"BN_WORKDIR", folder_},
      {"SERVER_PORT", std::to_string(target_.grpc)},
      {"HEALTH_PORT", std::to_string(target_.health)},
      {"JAVA_OPTS", "-Dmetrics.exporter.openmetrics.http.port=" + std::to_string(target_.metrics)}};
  for (const auto& [name, value] : more) variables[name] = value;
  std::vector<std::string> texts;
  for (const auto& [name, value] : variables) texts.push_back(name + "=" + value);
  std::vector<char*> environment;
  for (std::string& text : texts) environment.push_back(text.data());
  environment.push_back(nullptr);
  const std::string log_path = folder_ + "/log";
  std::string serve = "serve";
  char* arguments[] = {program_.data(), serve.data(), nullptr};

  process_ = fork();
  if (process_ != 0) return;
  const int log = open(log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(log, STDERR_FILENO);
  execve(program_.c_str(), arguments, environment.data());
  _exit(127);
}

void LocalNode::wait_ready() const {
  for (int i = 0; i < 200; ++i) {
    if (http_request(target_.host, target_.health, "/healthz/readyz").status == 200) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  throw Miss{"the stand-in did not become ready: " + log()};
}

std::optional<int> LocalNode::wait_exit(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  do {
    int status = 0;
    if (waitpid(process_, &status, WNOHANG) == process_) {
      process_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  } while (std::chrono::steady_clock::now() < until);
  return std::nullopt;
}

void LocalNode::signal(int number) const { kill(process_, number); }

int LocalNode::run_tool(const std::string& arguments, int seconds) const {
  const std::string command = "timeout " + std::to_string(seconds) + " " + program_ + " " +
                              arguments + " > " + folder_ + "/tool.out 2>&1";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string LocalNode::log() const {
  std::ostringstream out;
  out << std::ifstream(folder_ + "/log").rdbuf();
  return out.str();
}

}  // namespace davit::standin
