// Server: one run of a Block Node's server process: a standin::NodeModel over the container's
// mounts, driven on the loop's time, and which of its ports speak.
//
//   Server server(loop, environment, std::move(mounts));
//   server.start(faults);
//   if (server.exit_code()) …
//
// Costs nothing while nothing is due: the model says when it wants to be woken. One thread.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "io/loop.hpp"
#include "sim/blocknode/mounts.hpp"
#include "standin/blocknode/model/node_model.hpp"

namespace davit::sim {

class Server {
 public:
  enum class Service { kPublish, kSubscribe, kAccess, kStatus, kHealth, kMetrics };
  using Listener = std::function<void(const standin::LogLine& line)>;

  Server(io::Loop& loop, const standin::Environment& environment, std::unique_ptr<Mounts> mounts);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Hears every line of its log from now on.
  void listen(Listener listener) { listener_ = std::move(listener); }
  void start(const standin::Faults& faults);
  void set_faults(const standin::Faults& faults);
  // SIGTERM: exit 143 in 0.6 s (facts/blocknode.md section 14).
  void terminate();

  [[nodiscard]] std::optional<int> exit_code() const { return model_.exit_code(); }
  // When it will do something of its own accord; nullopt: not before somebody asks.
  [[nodiscard]] std::optional<Monotonic> next() const;
  // The last line it logged as severe: what a kubelet shows of it.
  [[nodiscard]] const std::string& last_words() const { return last_words_; }

  [[nodiscard]] bool accepts(std::uint16_t port) const;
  [[nodiscard]] bool serves(std::uint16_t port, Service service) const;
  [[nodiscard]] bool serves_anywhere(Service service) const;
  // A gRPC listener is there, whatever it serves.
  [[nodiscard]] bool speaks_grpc(std::uint16_t port) const;
  // Running, and each of its ports speaks.
  [[nodiscard]] bool is_up() const;

  [[nodiscard]] standin::NodeModel& model() { return model_; }
  [[nodiscard]] const standin::NodeModel& model() const { return model_; }
  [[nodiscard]] standin::Time time() const { return loop_->now().since_epoch; }
  [[nodiscard]] const std::vector<std::string>& plugins() const { return plugins_; }
  [[nodiscard]] const std::set<std::string>& plugin_ids() const { return plugin_ids_; }

  // After every input to the model: takes its outputs and arranges the next wake-up. Replies to
  // publishers are left to the caller that made them.
  std::vector<standin::PublishReply> settle();

  // Scrapes of the metrics port under way; who scrapes may outlive the server.
  const std::shared_ptr<int> scrapes = std::make_shared<int>(0);

 private:
  // The port of a service; 0: it has none.
  [[nodiscard]] std::uint16_t port_of(Service service) const;
  [[nodiscard]] bool is_open(Service service) const;
  void log(standin::LogLine line);
  void log_refused_listener();

  io::Loop* loop_;
  std::unique_ptr<Mounts> mounts_;
  standin::Settings settings_;
  std::vector<std::string> plugins_;
  std::set<std::string> plugin_ids_;
  standin::NodeModel model_;
  std::uint16_t ports_[6] = {};  // by Service
  std::uint16_t main_port_ = 0;
  std::string last_words_;
  Listener listener_;
  bool refused_listener_told_ = false;
  std::optional<Monotonic> stops_at_;
  std::optional<Monotonic> wakes_at_;
  io::CallbackId wake_up_ = 0;
};

}  // namespace davit::sim
