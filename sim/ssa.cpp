#include "sim/ssa.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/merge.hpp"

namespace davit::sim {

namespace {

FieldSet minus(const FieldSet& a, const FieldSet& b) {
  FieldSet rest;
  std::ranges::set_difference(a, b, std::inserter(rest, rest.end()));
  return rest;
}

FieldSet common(const FieldSet& a, const FieldSet& b) {
  FieldSet both;
  std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
  return both;
}

ManagedEntry& entry_of(ManagedFields& fields, const Writer& writer) {
  for (ManagedEntry& entry : fields) {
    if (entry.writer == writer) return entry;
  }
  fields.push_back({writer, {}, {}});
  return fields.back();
}

void set_fields(ManagedEntry& entry, FieldSet fields, const std::string& now) {
  if (entry.fields == fields && !entry.time.empty()) return;
  entry.fields = std::move(fields);
  entry.time = now;
}

std::string name_of(const Writer& writer) {
  std::string name = fmt::format("\"{}\"", writer.manager);
  if (!writer.subresource.empty())
    name += fmt::format(" with subresource \"{}\"", writer.subresource);
  return name + " using " + writer.api_version;
}

struct Conflict {
  Writer writer;
  FieldSet fields;
};

Refusal conflicts_refused(const std::vector<Conflict>& conflicts) {
  ApiError error;
  error.code = 409;
  error.reason = "Conflict";
  std::size_t count = 0;
  std::string text;
  for (const Conflict& conflict : conflicts) {
    const std::string who = "conflict with " + name_of(conflict.writer);
    if (conflict.fields.size() == 1) {
      text += (text.empty() ? "" : "\n") + who + ": " + describe(*conflict.fields.begin());
    } else {
      text += (text.empty() ? "" : "\n") + ("conflicts with " + name_of(conflict.writer)) + ":";
    }
    for (const FieldPath& path : conflict.fields) {
      ++count;
      error.causes.push_back({"FieldManagerConflict", who, describe(path)});
      if (conflict.fields.size() > 1) text += "\n- " + describe(path);
    }
  }
  error.message =
      fmt::format("Apply failed with {} conflict{}: {}", count, count == 1 ? "" : "s", text);
  return Refusal(std::move(error));
}

// Takes out what the writer owned, no longer names, and nobody else owns; then parents left empty.
void prune(json::object& object, const FieldSet& dropped, const ManagedFields& owners) {
  const auto is_owned = [&](const FieldPath& path) {
    return std::ranges::any_of(
        owners, [&](const ManagedEntry& entry) { return reaches(entry.fields, path); });
  };
  // An item comes before what is in it: it must go while its keys are still there.
  for (const FieldPath& path : dropped) {
    if (is_owned(path)) continue;
    remove_path(object, path);
    FieldPath parent = path;
    for (parent.pop_back(); parent.size() > 1; parent.pop_back()) {
      const json::value* left = value_at(object, parent);
      const bool empty = left && ((left->is_object() && left->as_object().empty()) ||
                                  (left->is_array() && left->as_array().empty()));
      if (!empty || is_owned(parent)) break;
      remove_path(object, parent);
    }
  }
}

}  // namespace

ManagedFields decode_managed_fields(const json::object& object) {
  ManagedFields fields;
  const json::array* list = wire::find_array(object, "metadata.managedFields");
  if (!list) return fields;
  for (const json::value& value : *list) {
    const json::object& entry = value.as_object();
    const json::object* set = wire::find_object(entry, "fieldsV1");
    fields.push_back({{std::string(wire::find_string(entry, "manager")),
                       std::string(wire::find_string(entry, "operation")),
                       std::string(wire::find_string(entry, "apiVersion")),
                       std::string(wire::find_string(entry, "subresource"))},
                      std::string(wire::find_string(entry, "time")),
                      set ? decode_fields(*set) : FieldSet()});
  }
  return fields;
}

void encode_managed_fields(json::object& object, const ManagedFields& fields) {
  json::array list;
  for (const ManagedEntry& entry : fields) {
    if (entry.fields.empty()) continue;
    json::object encoded{{"manager", entry.writer.manager},
                         {"operation", entry.writer.operation},
                         {"apiVersion", entry.writer.api_version},
                         {"time", entry.time},
                         {"fieldsType", "FieldsV1"},
                         {"fieldsV1", encode_fields(entry.fields)}};
    if (!entry.writer.subresource.empty()) encoded["subresource"] = entry.writer.subresource;
    list.push_back(std::move(encoded));
  }
  json::object& metadata = wire::ensure_object(object, "metadata");
  if (list.empty()) {
    metadata.erase("managedFields");
  } else {
    metadata["managedFields"] = std::move(list);
  }
}

Answer<json::object> apply(const ResourceType& type, const json::object* live,
                           const json::object& config, const Writer& writer, bool force,
                           const std::string& now) {
  const json::object nothing;
  const json::object& before = live ? *live : nothing;
  const FieldSet claimed = fields_of(config, type);
  ManagedFields owners = decode_managed_fields(before);
  json::object merged = merge_applied(before, config, type);

  const FieldSet had = entry_of(owners, writer).fields;
  ManagedFields others = owners;
  entry_of(others, writer).fields = claimed;
  prune(merged, minus(had, claimed), others);

  const Comparison comparison = compare(before, merged, type);
  const FieldSet changed = comparison.changed();
  std::vector<Conflict> conflicts;
  for (ManagedEntry& entry : owners) {
    if (entry.writer == writer) continue;
    FieldSet contested = common(entry.fields, changed);
    if (!contested.empty()) {
      if (force) set_fields(entry, minus(entry.fields, contested), now);
      conflicts.push_back({entry.writer, std::move(contested)});
    }
    set_fields(entry, minus(entry.fields, comparison.removed), now);
  }
  if (!force && !conflicts.empty()) return conflicts_refused(conflicts);
  set_fields(entry_of(owners, writer), claimed, now);
  encode_managed_fields(merged, owners);
  return merged;
}

void track_update(const ResourceType& type, const json::object* before, json::object& after,
                  const Writer& writer, const std::string& now) {
  const json::object nothing;
  const json::object& old = before ? *before : nothing;
  ManagedFields owners = decode_managed_fields(old);
  const Comparison comparison = compare(old, after, type);
  const FieldSet changed = comparison.changed();
  for (ManagedEntry& entry : owners) {
    FieldSet rest = minus(entry.fields, comparison.removed);
    if (entry.writer != writer) rest = minus(rest, changed);
    set_fields(entry, std::move(rest), now);
  }
  if (!changed.empty()) {
    ManagedEntry& own = entry_of(owners, writer);
    FieldSet fields = own.fields;
    fields.insert(changed.begin(), changed.end());
    set_fields(own, std::move(fields), now);
    own.time = now;
  }
  encode_managed_fields(after, owners);
}

}  // namespace davit::sim
