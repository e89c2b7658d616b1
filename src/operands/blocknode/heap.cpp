#include "operands/blocknode/heap.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "operands/blocknode/java_options.hpp"
#include "operands/blocknode/settings.hpp"
#include "wire/quantity.hpp"

namespace davit::blocknode {

namespace {

constexpr std::int64_t kFixedReserve = 128 * kMiB;
constexpr std::int64_t kSockets = 16;
constexpr std::int64_t kLeastBuffers = 16 * kMiB;
constexpr std::int64_t kHeapWithoutLimit = 1024 * kMiB;
// 64 buffers of 8 MiB are more than any plan needs, and keep the arithmetic far from overflow.
constexpr std::int64_t kMostBuffers = 64LL * 1024 * kMiB;

std::int64_t buffer_size(const BlockNodeSpec& spec, std::string_view env) {
  const Setting* setting = find_setting(env);
  const std::string fallback = setting != nullptr ? setting->default_value : std::string{};
  return parse_integer(configured(spec.extra_config, env).value_or(fallback)).value_or(0);
}

std::int64_t socket_buffers(const BlockNodeSpec& spec) {
  const std::int64_t each = buffer_size(spec, "SERVER_SOCKET_RECEIVE_BUFFER_SIZE_BYTES") +
                            buffer_size(spec, "SERVER_SOCKET_SEND_BUFFER_SIZE_BYTES");
  return std::clamp(kSockets * std::clamp<std::int64_t>(each, 0, kMostBuffers / kSockets),
                    kLeastBuffers, kMostBuffers);
}

std::int64_t down_to_mib(std::int64_t bytes) { return bytes - bytes % kMiB; }

std::optional<std::int64_t> bytes_of(const std::map<std::string, std::string>& resources) {
  const auto memory = resources.find("memory");
  if (memory == resources.end()) return std::nullopt;
  const auto quantity = wire::Quantity::parse(memory->second);
  return quantity ? std::optional(quantity->value()) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> memory_limit(const BlockNodeSpec& spec) {
  if (const auto limit = bytes_of(spec.resources.limits)) return limit;
  return bytes_of(spec.resources.requests);
}

HeapPlan plan_heap(std::int64_t limit, std::int64_t buffers) {
  HeapPlan plan{.limit = limit,
                .reserve = kFixedReserve + limit / 20,
                .buffers = buffers,
                .heap = 0,
                .direct = 0};
  plan.heap = down_to_mib(std::min(limit / 4 * 3, limit - plan.reserve - buffers));
  plan.direct = down_to_mib(limit - plan.heap - plan.reserve);
  return plan;
}

HeapPlan plan_heap(const BlockNodeSpec& spec) {
  const std::int64_t buffers = socket_buffers(spec);
  if (const auto limit = memory_limit(spec)) return plan_heap(*limit, buffers);
  return {.limit = 0,
          .reserve = kFixedReserve,
          .buffers = buffers,
          .heap = kHeapWithoutLimit,
          .direct = std::max(buffers, kHeapWithoutLimit / 4)};
}

std::int64_t least_limit(std::int64_t buffers) {
  // M − (128 MiB + M/20) − buffers = 128 MiB, rounded up.
  std::int64_t limit = (kLeastHeap + kFixedReserve + buffers) / 19 * 20;
  limit = down_to_mib(limit);
  while (plan_heap(limit, buffers).heap < kLeastHeap) limit += kMiB;
  return limit;
}

std::string java_options(const BlockNodeSpec& spec) {
  const JavaOptions theirs = effective_java_options(spec.extra_config);
  const HeapPlan plan = plan_heap(spec);
  std::string options;
  if (!theirs.max_heap && !theirs.ram_percentage) {
    options += fmt::format("-Xmx{}m ", plan.heap / kMiB);
    if (!theirs.max_direct) {
      options += fmt::format("-XX:MaxDirectMemorySize={}m ", plan.direct / kMiB);
    }
  }
  options += "-XX:+ExitOnOutOfMemoryError";
  if (const auto own = spec.extra_config.find("JAVA_OPTS"); own != spec.extra_config.end()) {
    options += " " + own->second;
  }
  return options;
}

}  // namespace davit::blocknode
