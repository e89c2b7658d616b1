// GarbageCollector: what the garbage collector and the namespace controller of
// kube-controller-manager do: dependents of absent owners go, foreground and orphan deletions are
// completed, ended namespaces are emptied, and CRDs take their objects with them.
//
// Runs in later turns of the loop, after changes; level-triggered over the whole store. One thread.
#pragma once

#include "io/loop.hpp"
#include "sim/operations.hpp"

namespace davit::sim {

class GarbageCollector {
 public:
  GarbageCollector(io::Loop& loop, Operations& operations);
  ~GarbageCollector() { loop_->cancel(pending_); }
  GarbageCollector(const GarbageCollector&) = delete;
  GarbageCollector& operator=(const GarbageCollector&) = delete;

  // How long after a change it looks.
  Duration delay{std::chrono::milliseconds(1)};
  // Off: nothing is collected (a controller manager that is down).
  bool enabled = true;
  void wake();

 private:
  struct Item {
    const ResourceType* type;
    Object object;
  };
  void run();
  [[nodiscard]] std::vector<Item> snapshot() const;
  void collect_dependents(const std::vector<Item>& items);
  void finish_deletions(const std::vector<Item>& items);
  void empty_namespaces(const std::vector<Item>& items);
  void drop_finalizer(const Item& item, std::string_view finalizer);

  io::Loop* loop_;
  Operations* operations_;
  io::CallbackId pending_ = 0;
};

}  // namespace davit::sim
