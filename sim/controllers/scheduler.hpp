// Scheduler: puts pods on nodes: ready ones that may be used, whose taints the pod tolerates, that
// its node selector, affinity and volumes allow, and with room; among those, the one with the
// fewest pods. Binds claims that wait for a consumer by naming the node to them.
//
// How it fails: PodScheduled=False/Unschedulable with the sentence of the real one
// (pkg/scheduler/framework/types.go, FitError), tried again when anything of it changed.
#pragma once

#include "sim/controllers/controller.hpp"

namespace davit::sim {

class Scheduler final : public Controller {
 public:
  explicit Scheduler(Hub& hub) : Controller(hub) {}

  void on_event(const StoredEvent& event) override;
  void resync() override;

 protected:
  void sync(const ObjectKey& key) override;

 private:
  // Why no node will do at all; empty: nodes decide.
  [[nodiscard]] std::string obstacle(const json::object& pod) const;
  // Why not this node; empty: it will do.
  [[nodiscard]] std::string misfit(const json::object& pod, const json::object& node) const;
  // False: a claim has to be bound first, to that node.
  bool prepare_claims(const json::object& pod, const std::string& node) const;
  void bind(const Object& pod, const std::string& node);
  void refuse(const Object& pod, const std::string& message);
};

}  // namespace davit::sim
