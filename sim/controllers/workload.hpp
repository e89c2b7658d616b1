// What the controllers of workloads share: pods from a template, their owner, when they count as
// available, the names of revisions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/controllers/hub.hpp"

namespace davit::sim {

// The object of that kind which controls `object`; an empty name when there is none.
[[nodiscard]] ObjectKey controller_key(const json::object& object, std::string_view kind);

// Pods that `owner` controls, in the order of their names; orphans its selector matches are adopted
// on the way.
[[nodiscard]] std::vector<Object> pods_of(Hub& hub, const json::object& owner);

// A pod made from spec.template of `owner`, with its namespace and owner reference.
[[nodiscard]] json::object pod_from_template(const json::object& owner);

// Eight letters and digits that stand for the value; the same value, the same letters.
[[nodiscard]] std::string revision_hash(const json::value& value);

// When a ready pod becomes available; nullopt: it is not ready.
[[nodiscard]] std::optional<WallTime> available_at(const json::object& pod,
                                                   std::int64_t min_ready_seconds);

// An integer, or a percentage of `total`; `fallback` when absent.
[[nodiscard]] std::int64_t scaled(const json::value* value, std::int64_t total, bool round_up,
                                  std::int64_t fallback);

// Sets a member, or removes it when it is zero (Go's omitempty).
void set_count(json::object& status, std::string_view name, std::int64_t count);

// Stores `status` when it differs.
void write_status(const Hub& hub, const ResourceType& type, const json::object& object,
                  json::object status);

}  // namespace davit::sim
