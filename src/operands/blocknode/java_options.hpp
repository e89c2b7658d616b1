// Java options as a user may write them in JAVA_OPTS and JAVA_TOOL_OPTIONS: read just far enough to
// see the heap, system properties and dump flags. Pure; any thread; what is not understood is
// passed over.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace davit::blocknode {

struct JavaOptions {
  std::optional<std::int64_t> max_heap;           // bytes; of -Xmx or -XX:MaxHeapSize, the last one
  std::optional<std::int64_t> initial_heap;       // bytes; of -Xms or -XX:InitialHeapSize
  std::optional<std::int64_t> max_direct;         // bytes; of -XX:MaxDirectMemorySize
  bool ram_percentage = false;                    // -XX:MaxRAMPercentage
  bool dumps_heap = false;                        // -XX:+HeapDumpOnOutOfMemoryError
  std::string dump_path;                          // -XX:HeapDumpPath
  std::map<std::string, std::string> properties;  // of -Dname=value
};

[[nodiscard]] JavaOptions parse_java_options(std::string_view text);

// As the JVM does: JAVA_TOOL_OPTIONS first, the command line (JAVA_OPTS) wins.
[[nodiscard]] JavaOptions effective_java_options(
    const std::map<std::string, std::string>& extra_config);

// "512m", "2G", "1048576"; nullopt: not a size of Java.
[[nodiscard]] std::optional<std::int64_t> parse_java_size(std::string_view text);

}  // namespace davit::blocknode
