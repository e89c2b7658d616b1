// GarbageCollector: what the garbage collector and the namespace controller of
// kube-controller-manager do: dependents of absent owners go, foreground and orphan deletions are
// completed, ended namespaces are emptied.
//
// Runs in later turns of the loop, after changes; level-triggered over what its index knows. One
// thread.
#pragma once

#include "io/loop.hpp"
#include "sim/operations.hpp"
#include "sim/owner_index.hpp"

namespace davit::sim {

class GarbageCollector {
 public:
  GarbageCollector(io::Loop& loop, Operations& operations);
  ~GarbageCollector() { loop_->cancel(pending_); }
  GarbageCollector(const GarbageCollector&) = delete;
  GarbageCollector& operator=(const GarbageCollector&) = delete;

  // How long after a change it looks.
  Duration delay{std::chrono::milliseconds(1)};
  // Off: nothing is collected (a controller manager that is down); back on, it catches up.
  void set_enabled(bool enabled);
  // Nothing will be collected by itself.
  [[nodiscard]] bool settled() const { return pending_ == 0; }
  void wake();

 private:
  struct Item {
    const ResourceType* type = nullptr;
    Object object;
  };
  using Items = std::vector<Item>;
  // An object on its way out, and what goes before it.
  struct Ending {
    Item item;
    Items children;
  };

  void run();
  [[nodiscard]] Item item_of(const StoredRef& ref) const;
  [[nodiscard]] Items items_of(const OwnerIndex::Refs& refs) const;
  [[nodiscard]] Items abandoned();
  [[nodiscard]] std::vector<Ending> endings() const;
  [[nodiscard]] std::vector<Ending> namespaces() const;
  void orphan(const Ending& ending);
  void take_along(const Ending& ending);
  void empty_namespace(const Ending& ending);
  void drop_finalizer(const Item& item, std::string_view finalizer);

  io::Loop* loop_;
  Operations* operations_;
  OwnerIndex index_;
  io::CallbackId pending_ = 0;
  bool enabled_ = true;
};

}  // namespace davit::sim
