// Server-side apply: who owns which field of an object, and what an apply or another write makes of
// it.
//
// Follows structured-merge-diff's semantics at leaf-path level: an apply claims the fields it
// names; a changed field that somebody else owns is a conflict unless forced; a field the applier
// stops naming goes if nobody else owns it; any other write takes ownership of what it changes.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/api_error.hpp"
#include "sim/field_set.hpp"

namespace davit::sim {

// One writer as managedFields tells writers apart.
struct Writer {
  std::string manager;
  std::string operation;  // "Apply" or "Update"
  std::string api_version;
  std::string subresource;
  friend bool operator==(const Writer&, const Writer&) = default;
};

struct ManagedEntry {
  Writer writer;
  std::string time;
  FieldSet fields;
};
using ManagedFields = std::vector<ManagedEntry>;

[[nodiscard]] ManagedFields decode_managed_fields(const json::object& object);
// Empty entries are dropped; none at all drops the member.
void encode_managed_fields(json::object& object, const ManagedFields& fields);

// The object after `config` is applied to `live` (null: it does not exist), with managedFields.
// Metadata that the server owns is taken from `live`. `now` stamps entries that changed.
[[nodiscard]] Answer<json::object> apply(const ResourceType& type, const json::object* live,
                                         const json::object& config, const Writer& writer,
                                         bool force, const std::string& now);

// Sets managedFields of `after`, which `writer` makes of `before` (null: created) by other means.
void track_update(const ResourceType& type, const json::object* before, json::object& after,
                  const Writer& writer, const std::string& now);

}  // namespace davit::sim
