// TimerHeap: ids ordered by their time, first in first out among equals. Cancelled ids stay until
// their time comes or they outnumber the live ones; the owner tells which live.
#pragma once

#include <algorithm>
#include <vector>

#include "io/loop.hpp"

namespace davit::io {

class TimerHeap {
 public:
  void push(Monotonic when, CallbackId id) {
    entries_.push_back({when, ++sequence_, id});
    std::push_heap(entries_.begin(), entries_.end(), later);
  }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] Monotonic next() const { return entries_.front().when; }
  CallbackId pop() {
    std::pop_heap(entries_.begin(), entries_.end(), later);
    const CallbackId id = entries_.back().id;
    entries_.pop_back();
    return id;
  }
  template <typename Alive>
  void keep_only(Alive alive) {
    std::erase_if(entries_, [&](const Entry& entry) { return !alive(entry.id); });
    std::make_heap(entries_.begin(), entries_.end(), later);
  }

 private:
  struct Entry {
    Monotonic when;
    std::uint64_t sequence;
    CallbackId id;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.when != b.when ? a.when > b.when : a.sequence > b.sequence;
  }
  std::vector<Entry> entries_;
  std::uint64_t sequence_ = 0;
};

}  // namespace davit::io
