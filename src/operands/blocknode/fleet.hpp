// Fleet: which BlockNodes share a disruption group, over all namespaces, and who holds the group's
// slot.
//
// The slot: between Davit's decision to delete a ready pod and the cache showing that deletion, the
// cache alone would let a second node of the group restart as well. A reservation covers this gap;
// afterwards the pods themselves tell who is down, also to a restarted Davit. One thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "operands/blocknode/build.hpp"

namespace davit::blocknode {

class Fleet {
 public:
  void put(Member member);
  // The BlockNode is gone.
  void forget(const ObjectKey& node);
  [[nodiscard]] const Member* find(const ObjectKey& node) const;
  [[nodiscard]] std::vector<Member> group(const std::string& group) const;
  [[nodiscard]] std::vector<Member> group_in(const std::string& group, const std::string& ns) const;

  // `pod`: the one about to be deleted. Given back by itself after a minute, or when that pod is
  // gone.
  void reserve(const ObjectKey& node, Uid pod, Monotonic now);
  void release(const ObjectKey& node) { reservations_.erase(node); }
  [[nodiscard]] bool reserved(const ObjectKey& node, const Uid& pod_in_cache, Monotonic now) const;

  // Nodes whose restart waits for a slot: looked at again when a pod of the group changes.
  void set_waiting(const ObjectKey& node, bool waiting);
  [[nodiscard]] std::vector<ObjectKey> waiting() const {
    return {waiting_.begin(), waiting_.end()};
  }

 private:
  void erase(const ObjectKey& node);

  struct Reservation {
    Uid pod;
    Monotonic until;
  };
  std::map<ObjectKey, Member> members_;
  std::map<std::string, std::set<ObjectKey>> groups_;
  std::map<ObjectKey, Reservation> reservations_;
  std::set<ObjectKey> waiting_;
};

}  // namespace davit::blocknode
