// Server-side apply: who owns which field of an object, and what an apply or another write makes of
// it.
//
// Follows structured-merge-diff: an apply claims the fields it names; a changed field that somebody
// else owns is a conflict unless forced; a field the applier stops naming goes if nobody else owns
// it; any other write takes ownership of what it changes. Entries that a write does not touch are
// copied as they are, never decoded. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/api_error.hpp"
#include "sim/field_walk.hpp"

namespace davit::sim {

// One writer as managedFields tells writers apart. Appliers are the same in all versions.
struct Writer {
  std::string manager;
  std::string operation;  // "Apply" or "Update"
  std::string api_version;
  std::string subresource;
  bool resets_status = false;  // what it writes to the status does not count
  [[nodiscard]] bool is(const Writer& other) const {
    return manager == other.manager && operation == other.operation &&
           subresource == other.subresource &&
           (operation == "Apply" || api_version == other.api_version);
  }
};

class ManagedEntry {
 public:
  // Borrows `stored`, an entry of managedFields.
  explicit ManagedEntry(const json::object& stored);
  explicit ManagedEntry(Writer by) : writer(std::move(by)) {}

  Writer writer;
  std::string time;

  [[nodiscard]] const FieldSet& fields() const;
  void set_fields(FieldSet fields);
  [[nodiscard]] bool meets(const FieldSet& others) const;
  void subtract(const FieldSet& others);
  [[nodiscard]] bool is_empty() const;
  [[nodiscard]] json::object encoded() const;

 private:
  const json::object* stored_ = nullptr;    // as it was
  mutable std::optional<FieldSet> fields_;  // decoded, or changed
  bool changed_ = false;
};
using ManagedFields = std::vector<ManagedEntry>;

// Borrows from `object`.
[[nodiscard]] ManagedFields decode_managed_fields(const json::object& object);
// Empty entries are dropped; none at all drops the member. In the server's order.
void encode_managed_fields(json::object& object, ManagedFields fields);

// The object after `config` is applied to `live` (null: it does not exist), with managedFields.
// `now` stamps the applier's entry if the object changed.
[[nodiscard]] Answer<json::object> apply(const Shape& shape, const json::object* live,
                                         const json::object& config, const Writer& writer,
                                         bool force, const std::string& now);

// Sets managedFields of `after`, which `writer` makes of `before` (null: created) by other means.
// managedFields that `after` brings count, unless there are none; [{}] forgets them all.
void track_update(const Shape& shape, const json::object* before, json::object& after,
                  const Writer& writer, const std::string& now);

}  // namespace davit::sim
