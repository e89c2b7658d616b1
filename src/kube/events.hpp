// EventRecorder: tells users what happened to an object (events.k8s.io/v1), without ever being in
// the way.
//
//   events.record(block_node, EventType::kWarning, "VolumeFull", "GrowVolume", "live is 95 %
//   full");
//
// record() returns at once; the write runs in a Scope of the recorder, and a failure is counted and
// handed to on_failure, never to the caller. The same event (object, type, reason, note) within 10
// minutes of the last is not written again: it becomes a series, whose count is patched at most
// every 5 minutes, when the event recurs. Each object may have 25 new events at once, then one per
// 5 minutes. Why so strict: a controller in a loop must not fill etcd (client-go's spam filter has
// the same bounds). One thread, that of the Client's loop. Destroying the recorder drops what is
// not sent yet.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "base/random.hpp"
#include "io/scope.hpp"
#include "kube/client.hpp"

namespace davit::kube {

enum class EventType { kNormal, kWarning };

struct EventOptions {
  std::string controller = "davit";  // reportingController
  std::string instance;              // reportingInstance: the pod's name; empty: the controller
  FieldManager manager{"davit"};
};

class EventRecorder {
 public:
  struct Counts {
    std::uint64_t sent = 0;        // new events and series updates the server took
    std::uint64_t suppressed = 0;  // repeats, and what the bounds held back
    std::uint64_t failed = 0;
  };

  // The random source names the events; both references must outlive the recorder.
  EventRecorder(Client& client, Random& random, EventOptions options = {});

  // `object` has apiVersion, kind and metadata. `action` says what Davit did or tried. The note is
  // cut at 1024 bytes.
  void record(const json::object& object, EventType type, std::string reason, std::string action,
              std::string note);

  void on_failure(std::function<void(const Error&)> handler) { on_failure_ = std::move(handler); }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  // Until everything recorded so far is sent or has failed.
  io::Task<void> flush() { return scope_.join(); }

 private:
  struct Series {
    ObjectKey event;  // where it was written
    std::int64_t count = 1;
    Monotonic last_seen;
    Monotonic last_write;
  };
  struct Bucket {
    double tokens;
    Monotonic filled;
  };

  bool take_token(const std::string& object);
  void forget_old();
  io::Task<void> send_new(json::object event, std::string identity);
  io::Task<void> send_series(ObjectKey event, json::object patch, std::string identity);
  void failed(const Error& error, const std::string& identity);

  Client* client_;
  Random* random_;
  EventOptions options_;
  std::function<void(const Error&)> on_failure_;
  Counts counts_;
  std::unordered_map<std::string, Series> series_;
  std::unordered_map<std::string, Bucket> buckets_;
  io::Scope scope_;  // last: its children use all of the above
};

}  // namespace davit::kube
