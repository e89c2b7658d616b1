// Where things are in a Block Node's pod: ports, paths, user. Facts: blocknode.md §0, §6.6 (0.39
// on).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace davit::blocknode {

inline constexpr std::uint16_t kGrpcPort = 40840;
inline constexpr std::uint16_t kSubscriberPort = 40980;
inline constexpr std::uint16_t kBlockAccessPort = 40981;
inline constexpr std::uint16_t kServerStatusPort = 40982;
inline constexpr std::uint16_t kHealthPort = 40983;
inline constexpr std::uint16_t kPublisherPort = 40984;
inline constexpr std::uint16_t kMetricsPort = 16007;
inline constexpr std::uint16_t kAgentPort = 40990;  // ours: the agent's report and readiness

inline constexpr std::int64_t kUser = 2000;  // uid and gid "hedera"
inline constexpr std::string_view kBaseDir = "/opt/hiero/block-node";
inline constexpr std::string_view kWrapperDir = "/opt/davit";  // emptyDir with davit-start

// The five volumes: key in spec.storage, suffix of the claim's name, mount path. `{version}` is the
// server's version.
struct VolumeLayout {
  std::string_view key;     // "applicationState"
  std::string_view suffix;  // "application-state"
  std::string_view mount;
  bool data;  // holds blocks or what proves them
};
inline constexpr std::array<VolumeLayout, 5> kVolumes{{
    {"live", "live", "/opt/hiero/block-node/data/live", true},
    {"historic", "historic", "/opt/hiero/block-node/data/historic", true},
    {"applicationState", "application-state", "/opt/hiero/block-node/application-state", true},
    {"logs", "logs", "/opt/hiero/block-node/logs", false},
    {"plugins", "plugins", "/opt/hiero/block-node/app-{version}/plugins", false},
}};

// On every volume; written once by davit-start, checked on every start.
inline constexpr std::string_view kIdentityFile = ".davit-volume.json";

// Written by davit-start where the agent reads it (shared emptyDir): why the server was not
// started.
inline constexpr std::string_view kRunDir = "/run/davit";
inline constexpr std::string_view kStartReport = "/run/davit/start.json";

}  // namespace davit::blocknode
