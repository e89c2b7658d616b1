// Java options and memory: what would get the server killed, or make it fill the pod's disk.
#include <fmt/format.h>

#include <algorithm>

#include "operands/blocknode/heap.hpp"
#include "operands/blocknode/java_options.hpp"
#include "operands/blocknode/pod_volumes.hpp"
#include "operands/blocknode/settings.hpp"
#include "operands/blocknode/validation.hpp"
#include "wire/quantity.hpp"

namespace davit::blocknode {

namespace {

constexpr std::string_view kMetricsPrefix = "metrics.exporter.openmetrics.http.";

std::string size(std::int64_t bytes) { return wire::Quantity::bytes(bytes).to_string(); }

std::string_view limit_field(const BlockNodeSpec& spec) {
  return spec.resources.limits.contains("memory") ? "spec.resources.limits[memory]"
                                                  : "spec.resources.requests[memory]";
}

// The last of JAVA_OPTS and JAVA_TOOL_OPTIONS that sets the heap: the one to correct.
std::string heap_field(const BlockNodeSpec& spec) {
  const auto own = spec.extra_config.find("JAVA_OPTS");
  const bool here =
      own != spec.extra_config.end() && parse_java_options(own->second).max_heap.has_value();
  return config_field(here ? "JAVA_OPTS" : "JAVA_TOOL_OPTIONS");
}

void check_heap(const BlockNodeSpec& spec, const JavaOptions& options, Problems& problems) {
  const auto limit = memory_limit(spec);
  if (!limit || !options.max_heap) return;
  // The rest of the process needs at least a tenth (blocknode.md §3.3).
  const std::int64_t most = *limit / 10 * 9 / kMiB * kMiB;
  if (*options.max_heap <= most) return;
  const std::int64_t heap = std::min(*options.max_heap, std::int64_t{1} << 60);
  const std::int64_t enough = (heap / 9 * 10 / kMiB + 1) * kMiB;
  problems.push_back(
      {heap_field(spec),
       fmt::format("a heap of {} does not fit into {}, which is {}: the server would be killed. "
                   "Allowed are at most 90 % of it, {}. Lower the heap, raise the limit to {}, or "
                   "leave -Xmx out: Davit then sets {}m",
                   size(*options.max_heap), limit_field(spec), size(*limit), size(most),
                   size(enough), std::max<std::int64_t>(plan_heap(spec).heap, 0) / kMiB)});
}

void check_initial_heap(const BlockNodeSpec& spec, const JavaOptions& options, Problems& problems) {
  if (!options.initial_heap || options.ram_percentage) return;
  const std::int64_t most = options.max_heap.value_or(plan_heap(spec).heap);
  if (*options.initial_heap <= most) return;
  const bool here = spec.extra_config.contains("JAVA_OPTS");
  problems.push_back(
      {config_field(here ? "JAVA_OPTS" : "JAVA_TOOL_OPTIONS"),
       fmt::format("-Xms asks for {}, but the heap is at most {}{}: Java would not start. Lower "
                   "-Xms, or raise the heap",
                   size(*options.initial_heap), size(most),
                   options.max_heap ? "" : " (derived from the memory limit)")});
}

// System properties win over variables, so they must not go round the checks of the settings.
void check_properties(const std::string& key, const JavaOptions& options, const BlockNodeSpec& spec,
                      Problems& problems) {
  for (const auto& [property, value] : options.properties) {
    const std::string field = fmt::format("{}: -D{}", config_field(key), property);
    if (property.starts_with(kMetricsPrefix)) {
      problems.push_back({field,
                          "Davit reads the metrics at their usual place (port 16007, /metrics) to "
                          "see how the node is. Remove the option"});
      continue;
    }
    if (property == "java.util.logging.config.file") {
      problems.push_back(
          {field,
           "Davit sets the logging configuration, so that the log stays readable and "
           "bounded. Remove the option"});
      continue;
    }
    if (find_setting(property) == nullptr) continue;
    BlockNodeSpec alone = spec;
    alone.extra_config = {{property, value}};
    Problems found = check_settings(alone.extra_config, spec.version);
    check_owned_settings(alone, found);
    for (Problem& problem : found) problems.push_back({field, std::move(problem.message)});
  }
}

void check_dump(const std::string& key, const JavaOptions& options, const BlockNodeSpec& spec,
                Problems& problems) {
  if (!options.dumps_heap) return;
  const auto mounted = mounted_claims(spec);
  const bool on_volume = std::ranges::any_of(mounted, [&](const MountedClaim& claim) {
    return claim.layout->key == "logs" && options.dump_path.starts_with(claim.path);
  });
  if (on_volume) return;
  problems.push_back({config_field(key),
                      "-XX:+HeapDumpOnOutOfMemoryError would write the whole heap to the pod's own "
                      "disk. Remove it, or give -XX:HeapDumpPath a folder on the logs volume "
                      "(/opt/hiero/block-node/logs) that has room for it"});
}

}  // namespace

void check_java_options(const BlockNodeSpec& spec, Problems& problems) {
  const JavaOptions options = effective_java_options(spec.extra_config);
  check_heap(spec, options, problems);
  check_initial_heap(spec, options, problems);
  for (const char* key : {"JAVA_OPTS", "JAVA_TOOL_OPTIONS"}) {
    const auto found = spec.extra_config.find(key);
    if (found == spec.extra_config.end()) continue;
    const JavaOptions own = parse_java_options(found->second);
    check_properties(key, own, spec, problems);
    check_dump(key, own, spec, problems);
  }
}

void check_memory(const BlockNodeSpec& spec, Problems& problems) {
  const JavaOptions options = effective_java_options(spec.extra_config);
  const auto limit = memory_limit(spec);
  if (!limit || options.max_heap || options.ram_percentage) return;
  const HeapPlan plan = plan_heap(spec);
  if (plan.heap >= kLeastHeap) return;
  std::string message = fmt::format(
      "{} is too little: the server needs at least {} ({} of heap, {} for Java itself, {} for the "
      "buffers of 16 connections). Raise it",
      size(*limit), size(least_limit(plan.buffers)), size(kLeastHeap),
      size(plan_heap(least_limit(plan.buffers), plan.buffers).reserve / kMiB * kMiB),
      size(plan.buffers));
  if (const std::int64_t small = least_limit(16 * kMiB); small < least_limit(plan.buffers)) {
    message += fmt::format(
        ", or set SERVER_SOCKET_RECEIVE_BUFFER_SIZE_BYTES to 131072: then {} are "
        "enough",
        size(small));
  }
  problems.push_back({std::string(limit_field(spec)), std::move(message)});
}

}  // namespace davit::blocknode
