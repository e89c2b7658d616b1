// JobController: pods until enough of them succeeded or too many failed; suspension, deadline, and
// removal some time after the end (pkg/controller/job, ttlafterfinished). Completion mode
// NonIndexed.
#pragma once

#include "sim/controllers/controller.hpp"

namespace davit::sim {

class JobController final : public Controller {
 public:
  explicit JobController(Hub& hub) : Controller(hub) {}

  void on_event(const StoredEvent& event) override;
  void resync() override { queue_all(hub_->jobs); }

 protected:
  void sync(const ObjectKey& key) override;

 private:
  struct Count;
  bool finish_pods(const json::object& job, const ObjectKey& key, Count& count);
  void make_pods(const json::object& job, const ObjectKey& key, Count& count);
  void expire(const json::object& job, const ObjectKey& key);

  std::map<Uid, std::pair<int, Monotonic>> failures_;  // in a row, and the last one's time
};

}  // namespace davit::sim
