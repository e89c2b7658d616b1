#include "standin/blocknode/contract/labs.hpp"

#include "standin/blocknode/contract/local_node.hpp"
#include "standin/blocknode/contract/simulated_node.hpp"

namespace davit::standin {
namespace {

constexpr unsigned kBlocks = 12;

class RunningServer final : public Lab {
 public:
  explicit RunningServer(const Target& target) : node_(target) {}
  std::string name() const override { return "the running server"; }
  Node& running() override { return node_; }
  std::unique_ptr<Node> fresh() override {
    throw Skip{"not seen from outside; checked on nodes of our own"};
  }

 private:
  RemoteNode node_;
};

// Nodes of our own; the one that is read is started when it is first wanted.
class OwnNodes : public Lab {
 public:
  Node& running() override {
    if (!running_) {
      running_ = fresh();
      running_->start();
      running_->wait_ready();
      expect(running_->publish(kBlocks, std::chrono::seconds(60)), "the first blocks");
    }
    return *running_;
  }

 private:
  std::unique_ptr<Node> running_;
};

class StandinProcesses final : public OwnNodes {
 public:
  explicit StandinProcesses(std::string program) : program_(std::move(program)) {}
  std::string name() const override { return "stand-in processes over the network"; }
  std::unique_ptr<Node> fresh() override { return std::make_unique<LocalNode>(program_); }

 private:
  std::string program_;
};

class SimulatedPods final : public OwnNodes {
 public:
  std::string name() const override { return "the simulator's pods in virtual time"; }
  std::unique_ptr<Node> fresh() override { return std::make_unique<SimulatedNode>(); }
};

}  // namespace

std::unique_ptr<Lab> running_server(const Target& target) {
  return std::make_unique<RunningServer>(target);
}
std::unique_ptr<Lab> standin_processes(const std::string& program) {
  return std::make_unique<StandinProcesses>(program);
}
std::unique_ptr<Lab> simulated_pods() { return std::make_unique<SimulatedPods>(); }

void expect(bool good, const std::string& what) {
  if (!good) throw Miss{what};
}

const std::vector<Check>& checks() {
  static const std::vector<Check> all = [] {
    std::vector<Check> out = reading_checks();
    for (const auto& part : {life_checks(), storage_checks(), probe_checks()}) {
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }();
  return all;
}

}  // namespace davit::standin
