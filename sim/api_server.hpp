// ApiServer: a Kubernetes API server in memory, behind io::Transport.
//
//   sim::ApiServer server(loop, random);
//   kube::Client client(server.as("davit"), loop);
//   server.set_faults([](const RequestInfo& request) { return Fault{.lose_reply = …}; });
//
// Every request is routed, checked against the user's rights, carried out on the store, and logged.
// Its effect happens one turn after it was sent, its reply one turn later: a client destroyed in
// between has sent a request without effect, or one whose reply it never saw. One thread: that of
// the Loop. Clients and streams must go before the server.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/http.hpp"
#include "sim/access_control.hpp"
#include "sim/garbage_collector.hpp"
#include "sim/operations.hpp"
#include "sim/watch.hpp"

namespace davit::sim {

struct RequestInfo {
  std::uint64_t number = 0;  // from 1, in the order sent
  Monotonic at;
  std::string user;
  std::string method, target;
  std::string verb;      // "patch"; of anything but resources: "get" or "other"
  std::string resource;  // "statefulsets.apps", "pods/status"; empty: no resource
  ObjectKey key;
  std::size_t body_size = 0;
  bool is_write = false;
  unsigned status = 0;  // of the reply; 0: none yet, or never
  // A fault keeps the true answer from the client: lost, late or replaced. For judges.
  bool reply_lost = false;
};

// What goes wrong with one request; all members empty: nothing.
struct Fault {
  Duration delay_before{0};                 // before the effect
  std::optional<io::HttpResponse> refuse;   // this reply, no effect
  std::optional<Error> fail_before;         // no answer, no effect
  std::optional<Error> lose_reply;          // the effect, no answer
  std::optional<io::HttpResponse> replace;  // the effect, another answer
  Duration delay_after{0};                  // after the effect
};

class ApiServer final : public io::Transport {
 public:
  ApiServer(io::Loop& loop, Random& random);
  ~ApiServer() override;
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // As the administrator.
  io::Task<Result<io::HttpResponse>> send(io::HttpRequest request, io::Deadline deadline) override;
  io::Task<Result<io::StreamingResponse>> open(io::HttpRequest request,
                                               io::Deadline deadline) override;
  // A transport that speaks as `user`; lives as long as the server.
  io::Transport& as(const std::string& user);

  // Asked for each request before it has an effect.
  void set_faults(std::function<Fault(const RequestInfo&)> faults) { faults_ = std::move(faults); }
  // Told of each request when its effect is known: the true answer, also when it is lost or
  // replaced afterwards; null when there is none (the connection failed before the effect). Of a
  // watch the answer has no body.
  using RequestListener =
      std::function<void(const RequestInfo&, const io::HttpRequest&, const io::HttpResponse*)>;
  void on_request(RequestListener listener) { listeners_.push_back(std::move(listener)); }
  // The request whose effect is being carried out right now; null when a controller acts.
  [[nodiscard]] const RequestInfo* current() const { return current_; }
  // Asked about each write after the server's own checks; may refuse. One at most.
  void set_admission(Admission admission);
  // All requests fail at once with kUnavailable, and all watches are cut.
  void set_down(bool down);

  [[nodiscard]] const std::deque<RequestInfo>& log() const { return log_; }
  void clear_log() { log_.clear(); }
  // Of a user (empty: all) since the log was cleared.
  [[nodiscard]] std::size_t writes(std::string_view user = {}) const;

  AccessControl& access() { return access_; }
  WatchHub& watches() { return watches_; }
  GarbageCollector& collector() { return collector_; }
  Operations& operations() { return operations_; }
  ObjectStore& store() { return store_; }
  Registry& registry() { return registry_; }
  [[nodiscard]] const Registry& registry() const { return registry_; }

  // Registers a CRD's kinds without storing the CRD.
  void add_crd(const json::object& crd) { registry_.add_crd(crd); }
  void add_namespace(const std::string& name);
  // Shorthand for tests: the stored object, or null; as an administrator.
  [[nodiscard]] Object find(const kube::Resource& resource, const ObjectKey& key) const;
  // Container logs and other subresources of pods: asked with the route, answers the body.
  void set_pod_log(std::function<std::string(const Route&)> log) { pod_log_ = std::move(log); }

 private:
  class User;
  io::Task<Result<io::HttpResponse>> exchange(std::string user, io::HttpRequest request,
                                              io::Deadline deadline);
  io::Task<Result<io::StreamingResponse>> stream(std::string user, io::HttpRequest request,
                                                 io::Deadline deadline);
  RequestInfo begin(const std::string& user, const io::HttpRequest& request,
                    const Answer<Route>& route);
  // The effect of `info`'s request is known: logs the status, tells the listeners.
  void settled(RequestInfo& info, const io::HttpRequest& request, const io::HttpResponse* response);
  io::HttpResponse handle(const RequestInfo& info, const Answer<Route>& route,
                          const io::HttpRequest& request);
  void follow_crds(const StoredEvent& event);

  io::Loop* loop_;
  Registry registry_;
  ObjectStore store_;
  Operations operations_;
  WatchHub watches_;
  GarbageCollector collector_;
  AccessControl access_;
  std::map<std::string, std::unique_ptr<User>> users_;
  std::function<Fault(const RequestInfo&)> faults_;
  std::function<std::string(const Route&)> pod_log_;
  Admission admission_;
  std::vector<RequestListener> listeners_;
  const RequestInfo* current_ = nullptr;
  std::deque<RequestInfo> log_;
  std::uint64_t last_number_ = 0;
  bool down_ = false;
};

}  // namespace davit::sim
