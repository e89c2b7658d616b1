// Network: what goes wrong between Davit and the API server: rules that live for a time, choose
// requests by verb and resource, and hit every n-th or a share drawn from the seed.
//
//   network.add({.kind = Trouble::kLoseReply, .verb = "patch", .every = 3, .until = …});
//   server.set_faults([&](const RequestInfo& r) { return network.on_request(r); });
//
// Only Davit's requests are hit. One thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "sim/api_server.hpp"

namespace davit::sim {

enum class Trouble {
  kError,           // an error reply, no effect
  kFailBefore,      // the connection fails, no effect
  kLoseReply,       // the effect, and no answer
  kDelay,           // up to `by` before, and up to `by` after the effect
  kDuplicate,       // a proxy sends it a second time and passes on the second answer
  kStaleList,       // lists answer as of `by` ago, and their watches lag as much
  kQuota,           // creations are refused: exceeded quota
  kAdmission,       // writes are refused by somebody's webhook
  kWatchDelay,      // events come up to `by` late, each stream for itself
  kWatchDuplicate,  // events come twice
  kWatchReorder,    // neighbouring events of different objects change places
};
// "lose-reply"
[[nodiscard]] std::string_view to_string(Trouble kind);
[[nodiscard]] std::optional<Trouble> trouble_from(std::string_view name);
[[nodiscard]] std::vector<std::string_view> trouble_names();

struct NetworkRule {
  Trouble kind = Trouble::kError;
  std::string verb;      // "patch", "write", "read"; empty: any
  std::string resource;  // "statefulsets", "blocknodes/status"; empty: any
  unsigned every = 1;    // the n-th of those that match
  double chance = 1;     // of those, this share
  unsigned limit = 0;    // at most so many; 0: no limit
  Monotonic until{Duration::max()};
  unsigned status = 503;  // of kError
  int retry_after = 0;    // seconds, of kError; 0: no hint
  Duration by{0};         // of delays and of the past
  unsigned seen = 0;      // matched
  unsigned done = 0;      // hit
};

// How a process' watch is spoilt; of no effect when empty.
struct WatchShape {
  Duration delay{0};
  double duplicate = 0, reorder = 0;  // shares of lines
  [[nodiscard]] bool any() const { return delay.count() > 0 || duplicate > 0 || reorder > 0; }
};

class Network {
 public:
  Network(const Clock& clock, Random& random, ApiServer& server);

  void add(NetworkRule rule) { rules_.push_back(std::move(rule)); }
  // Every rule ends; requests are as they should be.
  void clear() { rules_.clear(); }
  [[nodiscard]] bool any() const { return !rules_.empty(); }
  [[nodiscard]] std::size_t hits() const { return hits_; }
  // Told of each request of Davit's that goes wrong.
  void on_hit(std::function<void(const RequestInfo&, Trouble)> told) { told_ = std::move(told); }

  [[nodiscard]] Fault on_request(const RequestInfo& request);
  // For a process' transport, before it sends `request` as `user`.
  [[nodiscard]] bool sends_twice(const io::HttpRequest& request);
  // The version the list is answered from; nullopt: the present.
  [[nodiscard]] std::optional<Version> past_of(const io::HttpRequest& request);
  [[nodiscard]] WatchShape shape_of(const io::HttpRequest& request);
  [[nodiscard]] Random& random() { return *random_; }

 private:
  struct Facts {
    std::string_view verb, resource;
    bool is_write;
  };
  [[nodiscard]] bool hit(NetworkRule& rule, const Facts& facts);
  [[nodiscard]] NetworkRule* hit_by(std::initializer_list<Trouble> kinds, const Facts& facts);
  [[nodiscard]] NetworkRule* hit_by(std::initializer_list<Trouble> kinds,
                                    const io::HttpRequest& request);
  void forget_old();
  [[nodiscard]] Version version_at(Monotonic when) const;

  const Clock* clock_;
  Random* random_;
  ApiServer* server_;
  std::vector<NetworkRule> rules_;
  std::vector<std::pair<Monotonic, Version>> versions_;  // the newest of each instant
  std::size_t hits_ = 0;
  std::function<void(const RequestInfo&, Trouble)> told_;
};

}  // namespace davit::sim
