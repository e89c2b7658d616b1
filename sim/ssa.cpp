#include "sim/ssa.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/merge.hpp"
#include "sim/sameness.hpp"

namespace davit::sim {

namespace {

// More update managers than this are merged into one, the oldest first.
constexpr std::size_t kMostUpdateManagers = 10;

ManagedEntry* find_entry(ManagedFields& fields, const Writer& writer) {
  const auto found = std::ranges::find_if(
      fields, [&](const ManagedEntry& entry) { return entry.writer.is(writer); });
  return found == fields.end() ? nullptr : &*found;
}

ManagedEntry& entry_of(ManagedFields& fields, const Writer& writer) {
  if (ManagedEntry* found = find_entry(fields, writer)) return *found;
  return fields.emplace_back(writer);
}

std::string name_of(const Writer& writer) {
  std::string name = fmt::format("\"{}\"", writer.manager);
  if (!writer.subresource.empty()) {
    name += fmt::format(" with subresource \"{}\"", writer.subresource);
  }
  return writer.operation == "Update" ? name + " using " + writer.api_version : name;
}

struct Conflict {
  Writer writer;
  std::vector<FieldPath> paths;
};

Refusal conflicts_refused(std::vector<Conflict> conflicts) {
  std::ranges::sort(conflicts, {}, [](const Conflict& conflict) {
    return std::tuple(conflict.writer.manager, conflict.writer.operation,
                      conflict.writer.api_version, conflict.writer.subresource);
  });
  ApiError error;
  error.code = 409;
  error.reason = "Conflict";
  std::string text;
  for (const Conflict& conflict : conflicts) {
    const std::string who = name_of(conflict.writer);
    text += (text.empty() ? "" : "\n") + ("conflicts with " + who + ":");
    for (const FieldPath& path : conflict.paths) {
      error.causes.push_back({"FieldManagerConflict", "conflict with " + who, describe(path)});
      text += "\n- " + describe(path);
    }
  }
  const std::size_t count = error.causes.size();
  error.message = count == 1 ? fmt::format("Apply failed with 1 conflict: {}: {}",
                                           error.causes[0].message, error.causes[0].field)
                             : fmt::format("Apply failed with {} conflicts: {}", count, text);
  return Refusal(std::move(error));
}

FieldSet minus(FieldSet set, const FieldSet& other) {
  set.subtract(other);
  return set;
}

// Takes out what the writer named last time and nobody owns now, parents included.
json::object pruned(json::object merged, const FieldSet& last, const ManagedFields& owners,
                    const Shape& shape) {
  const FieldSet last_named = with_named_parents(last, shape);
  FieldSet managed;
  for (const ManagedEntry& entry : owners) managed.unite(entry.fields());
  managed = with_named_parents(managed, shape);
  const FieldSet whole = with_named_parents(fields_of(merged, shape), shape);
  json::object left = without(merged, last_named, shape);
  // What others own comes back …
  FieldSet kept = with_named_parents(fields_of(left, shape), shape);
  kept.unite(managed);
  left = without(merged, minus(whole, kept), shape);
  // … and so does what nobody applied.
  const FieldSet rest = with_named_parents(fields_of(left, shape), shape);
  return without(merged, FieldSet::common(minus(whole, rest), last_named), shape);
}

void cap_update_managers(ManagedFields& fields) {
  std::vector<std::size_t> updaters;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].writer.operation == "Update" && !fields[i].is_empty()) updaters.push_back(i);
  }
  if (updaters.size() <= kMostUpdateManagers) return;
  std::ranges::sort(updaters, {}, [&](std::size_t i) { return std::pair(fields[i].time, i); });
  const std::size_t merged = updaters.size() - kMostUpdateManagers + 1;
  ManagedEntry bucket(
      Writer{"ancient-changes", "Update", fields[updaters[0]].writer.api_version, {}});
  FieldSet all;
  for (std::size_t i = 0; i < merged; ++i) {
    all.unite(fields[updaters[i]].fields());
    bucket.time = fields[updaters[i]].time;
    fields[updaters[i]].set_fields({});
  }
  bucket.set_fields(std::move(all));
  fields.push_back(std::move(bucket));
}

bool is_reset(const json::object& object) {
  const json::array* list = wire::find_array(object, "metadata.managedFields");
  return list && list->size() == 1 && (*list)[0].is_object() && (*list)[0].as_object().empty();
}

}  // namespace

ManagedEntry::ManagedEntry(const json::object& stored)
    : writer{std::string(wire::find_string(stored, "manager")),
             std::string(wire::find_string(stored, "operation")),
             std::string(wire::find_string(stored, "apiVersion")),
             std::string(wire::find_string(stored, "subresource"))},
      time(wire::find_string(stored, "time")),
      stored_(&stored) {}

const FieldSet& ManagedEntry::fields() const {
  if (!fields_) {
    const json::object* set = stored_ ? wire::find_object(*stored_, "fieldsV1") : nullptr;
    fields_ = set ? decode_fields(*set) : FieldSet();
  }
  return *fields_;
}

void ManagedEntry::set_fields(FieldSet fields) {
  fields_ = std::move(fields);
  changed_ = true;
}

bool ManagedEntry::meets(const FieldSet& others) const {
  if (fields_) return FieldSet::meet(others, *fields_);
  const json::object* set = stored_ ? wire::find_object(*stored_, "fieldsV1") : nullptr;
  return set && meets_encoded(others, *set);
}

void ManagedEntry::subtract(const FieldSet& others) {
  if (others.empty() || !meets(others)) return;
  set_fields(minus(fields(), others));
}

bool ManagedEntry::is_empty() const {
  if (fields_) return fields_->empty();
  const json::object* set = stored_ ? wire::find_object(*stored_, "fieldsV1") : nullptr;
  return !set || set->empty();
}

json::object ManagedEntry::encoded() const {
  json::object entry{{"manager", writer.manager},
                     {"operation", writer.operation},
                     {"apiVersion", writer.api_version}};
  if (!time.empty()) entry["time"] = time;
  entry["fieldsType"] = "FieldsV1";
  if (!changed_ && stored_) {
    const json::object* set = wire::find_object(*stored_, "fieldsV1");
    entry["fieldsV1"] = set ? *set : json::object();
  } else {
    entry["fieldsV1"] = encode_fields(fields());
  }
  if (!writer.subresource.empty()) entry["subresource"] = writer.subresource;
  return entry;
}

ManagedFields decode_managed_fields(const json::object& object) {
  ManagedFields fields;
  const json::array* list = wire::find_array(object, "metadata.managedFields");
  if (!list) return fields;
  fields.reserve(list->size() + 1);
  for (const json::value& value : *list) {
    if (value.is_object()) fields.emplace_back(value.as_object());
  }
  return fields;
}

void encode_managed_fields(json::object& object, ManagedFields fields) {
  std::erase_if(fields, [](const ManagedEntry& entry) { return entry.is_empty(); });
  std::ranges::sort(fields, {}, [](const ManagedEntry& entry) {
    return std::tie(entry.writer.operation, entry.time, entry.writer.manager,
                    entry.writer.api_version, entry.writer.subresource);
  });
  json::array list;
  list.reserve(fields.size());
  for (const ManagedEntry& entry : fields) list.push_back(entry.encoded());
  json::object& metadata = wire::ensure_object(object, "metadata");
  if (list.empty()) {
    metadata.erase("managedFields");
  } else {
    metadata["managedFields"] = std::move(list);
  }
}

Answer<json::object> apply(const Shape& shape, const json::object* live, const json::object& config,
                           const Writer& writer, bool force, const std::string& now) {
  static const json::object nothing;
  const json::object& before = live ? *live : nothing;
  FieldSet claimed = fields_of(config, shape);
  ManagedFields owners = decode_managed_fields(before);
  json::object merged = merge_applied(before, config, shape);
  if (live && owners.empty()) {
    ManagedEntry first(Writer{"before-first-apply", "Update", writer.api_version, {}});
    first.set_fields(compare(nothing, before, shape).changed);
    first.time = now;
    owners.push_back(std::move(first));
  }

  ManagedEntry& own = entry_of(owners, writer);
  own.writer.api_version = writer.api_version;
  const FieldSet last = own.fields();
  if (last != claimed) own.set_fields(std::move(claimed));
  if (!minus(last, own.fields()).empty()) merged = pruned(std::move(merged), last, owners, shape);

  const Comparison comparison = compare(before, merged, shape);
  std::vector<Conflict> conflicts;
  for (ManagedEntry& entry : owners) {
    if (&entry == &own) continue;
    if (entry.meets(comparison.changed)) {
      conflicts.push_back(
          {entry.writer, FieldSet::common(entry.fields(), comparison.changed).paths()});
    }
  }
  if (!force && !conflicts.empty()) return conflicts_refused(std::move(conflicts));
  for (ManagedEntry& entry : owners) {
    if (&entry == &own) continue;
    entry.subtract(comparison.changed);
    entry.subtract(comparison.removed);
  }
  if (!live || !same_but_managed_fields(before, merged)) own.time = now;
  encode_managed_fields(merged, std::move(owners));
  return merged;
}

void track_update(const Shape& shape, const json::object* before, json::object& after,
                  const Writer& writer, const std::string& now) {
  static const json::object nothing;
  const json::object& old = before ? *before : nothing;
  // Entries are borrowed from a list that outlives the encoding.
  json::object given;
  if (writer.subresource.empty()) {
    if (is_reset(after)) {
      wire::ensure_object(after, "metadata").erase("managedFields");
      return;
    }
    const json::array* list = wire::find_array(after, "metadata.managedFields");
    const json::array* known = wire::find_array(old, "metadata.managedFields");
    if (list && !list->empty() && before && !(known && *list == *known)) {
      given["metadata"] = json::object{{"managedFields", *list}};
    }
  }
  ManagedFields owners = decode_managed_fields(given.empty() ? old : given);
  json::object& metadata = wire::ensure_object(after, "metadata");
  if (before && owners.empty()) {
    // Nobody applied so far, and what was there belongs to nobody.
    metadata.erase("managedFields");
    return;
  }
  Comparison comparison = compare(old, after, shape);
  if (writer.resets_status) {
    comparison.changed.erase_below("f:status");
    comparison.removed.erase_below("f:status");
  }
  for (ManagedEntry& entry : owners) {
    entry.subtract(comparison.removed);
    if (!entry.writer.is(writer)) entry.subtract(comparison.changed);
  }
  if (!comparison.changed.empty()) {
    ManagedEntry& own = entry_of(owners, writer);
    FieldSet fields = own.fields();
    fields.unite(comparison.changed);
    own.set_fields(std::move(fields));
    own.time = now;
  }
  cap_update_managers(owners);
  encode_managed_fields(after, std::move(owners));
}

}  // namespace davit::sim
