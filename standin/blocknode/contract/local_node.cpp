#include "standin/blocknode/contract/local_node.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "standin/blocknode/contract/http_get.hpp"
#include "standin/blocknode/contract/ports.hpp"

namespace davit::standin {

namespace fs = std::filesystem;

LocalNode::LocalNode(std::string program) : RemoteNode({}), program_(std::move(program)) {
  std::string name = (fs::temp_directory_path() / "standin-XXXXXX").string();
  folder_ = mkdtemp(name.data());
  usual_.host = "127.0.0.1";
  usual_.grpc = standin::free_port();
  usual_.health = standin::free_port();
  usual_.metrics = standin::free_port();
  target_ = with_ports(usual_, {});
}

LocalNode::~LocalNode() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    (void)wait_exit(std::chrono::seconds(5));
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void LocalNode::start(const Variables& more) {
  Variables variables = {
      {"BN_WORKDIR", folder_},
      {"SERVER_PORT", std::to_string(usual_.grpc)},
      {"HEALTH_PORT", std::to_string(usual_.health)},
      {"JAVA_OPTS", "-Dmetrics.exporter.openmetrics.http.port=" + std::to_string(usual_.metrics)}};
  for (const auto& [name, value] : more) variables[name] = value;
  target_ = with_ports(usual_, more);
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
  const int log = open(log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  dup2(log, STDERR_FILENO);
  execve(program_.c_str(), arguments, environment.data());
  _exit(127);
}

void LocalNode::terminate() { kill(process_, SIGTERM); }

std::optional<int> LocalNode::exit_code() {
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string LocalNode::log() {
  std::ostringstream out;
  out << std::ifstream(folder_ + "/log").rdbuf();
  return out.str();
}

void LocalNode::set_faults(const std::string& lines) {
  write_file("logs/standin-faults", lines);
  // The stand-in reads the file twice a second.
  wait(std::chrono::milliseconds(800));
}

bool LocalNode::publish(unsigned count, std::chrono::seconds patience) {
  const std::string command = "timeout " + std::to_string(patience.count()) + " " + program_ +
                              " publish --rate 0 --in-flight 10 --count " + std::to_string(count) +
                              " --to " + target_.publish + " --access " + target_.access +
                              " --status " + target_.status + " > " + folder_ + "/publish.out 2>&1";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::optional<std::uint64_t> LocalNode::file_size(const std::string& path) {
  std::error_code absent;
  const auto size = fs::file_size(fs::path(folder_) / path, absent);
  if (absent) return std::nullopt;
  return size;
}

std::string LocalNode::read_file(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(fs::path(folder_) / path).rdbuf();
  return out.str();
}

void LocalNode::write_file(const std::string& path, const std::string& bytes) {
  const fs::path full = fs::path(folder_) / path;
  fs::create_directories(full.parent_path());
  std::ofstream(full, std::ios::trunc) << bytes;
}

bool LocalNode::is_empty(const std::string& folder) {
  return fs::is_empty(fs::path(folder_) / folder);
}

}  // namespace davit::standin
