// The Java heap, derived from the memory limit. Sources: blocknode.md §3.3, §14.
//
// Of the limit M (spec.resources.limits.memory, else requests.memory):
//   reserve = 128 MiB + M/20           metaspace, code, stacks; the collector's own tables
//   buffers = at least 16 MiB, else 16 sockets of receive + send buffer
//   (SERVER_SOCKET_*_BUFFER_SIZE_BYTES) heap    = min(3/4 M, M − reserve − buffers), in whole MiB
//   direct  = what is then left, M − heap − reserve: the bound for socket buffers, so that many
//             connections fail by themselves rather than take the server with them
// Without limit and request the heap is 1 GiB. Below 128 MiB of heap the server is not started.
// Part of the form of compatibility version 0.0.1: another formula needs another form. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "operands/blocknode/types.hpp"

namespace davit::blocknode {

inline constexpr std::int64_t kMiB = std::int64_t{1} << 20;
inline constexpr std::int64_t kLeastHeap = 128 * kMiB;

// All in bytes.
struct HeapPlan {
  std::int64_t limit = 0;  // 0: none
  std::int64_t reserve = 0;
  std::int64_t buffers = 0;
  std::int64_t heap = 0;  // may be below kLeastHeap, or negative
  std::int64_t direct = 0;
};

[[nodiscard]] HeapPlan plan_heap(const BlockNodeSpec& spec);
// For a limit and the buffers of 16 sockets.
[[nodiscard]] HeapPlan plan_heap(std::int64_t limit, std::int64_t buffers);
// The smallest limit with kLeastHeap, in whole MiB.
[[nodiscard]] std::int64_t least_limit(std::int64_t buffers);

// JAVA_OPTS of the server: Davit's, then the user's own, which win. The heap is the user's when
// they give one. Ends the JVM when it runs out of memory, so that the kubelet starts it again; no
// heap dumps.
[[nodiscard]] std::string java_options(const BlockNodeSpec& spec);

// limits.memory, else requests.memory, in bytes; nullopt: neither, or not a quantity.
[[nodiscard]] std::optional<std::int64_t> memory_limit(const BlockNodeSpec& spec);

}  // namespace davit::blocknode
