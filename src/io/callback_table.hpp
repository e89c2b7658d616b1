// CallbackTable: the callbacks of a loop by id, with constant-time add, take and cancel.
//
// An id is a slot number and the generation of its use, so that an id that has run or was cancelled
// names nothing. A callback leaves the table before it runs or is destroyed: both may call back in.
#pragma once

#include <optional>
#include <vector>

#include "io/loop.hpp"

namespace davit::io {

class CallbackTable {
 public:
  CallbackId add(Callback callback) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Slot& slot = slots_[index];
    slot.callback.emplace(std::move(callback));
    return (std::uint64_t{slot.generation} << 32) | index;
  }

  [[nodiscard]] bool contains(CallbackId id) const {
    const std::size_t index = id & 0xffff'ffffU;
    return index < slots_.size() && slots_[index].generation == id >> 32 &&
           slots_[index].callback.has_value();
  }

  // The callback of `id`, which names nothing from now on; nullopt if it named nothing.
  [[nodiscard]] std::optional<Callback> take(CallbackId id) {
    if (!contains(id)) return std::nullopt;
    Slot& slot = slots_[id & 0xffff'ffffU];
    std::optional<Callback> callback = std::move(slot.callback);
    slot.callback.reset();
    if (++slot.generation == 0) slot.generation = 1;
    free_.push_back(static_cast<std::uint32_t>(id & 0xffff'ffffU));
    return callback;
  }

  [[nodiscard]] std::size_t size() const { return slots_.size() - free_.size(); }

 private:
  struct Slot {
    std::optional<Callback> callback;
    std::uint32_t generation = 1;  // never 0, so that no id is 0
  };
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace davit::io
