// Shape: what a value of a kind may look like, compiled once from a schema: members, lists and
// their keys, bounds, defaults, rules. Every walk over objects (defaults, pruning, checks,
// server-side apply, strategic merge) follows it.
//
//   const Shape* container = pod.member("spec")->shape->member("containers")->shape->items;
//
// Shapes may be cyclic (the schema of schemas) and are owned by their Shapes arena; immutable once
// compiled, so any thread may read them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "wire/json.hpp"

namespace davit::sim {

enum class ShapeKind {
  kAny,
  kObject,
  kList,
  kString,
  kBoolean,
  kInteger,
  kNumber,
  kQuantity,
  kIntOrString
};
enum class ListKind { kAtomic, kSet, kMap };

struct Shape;

struct ShapeMember {
  std::string name;
  std::string element;  // "f:" + name, as managedFields writes it
  const Shape* shape = nullptr;
  json::value fallback;   // the default; null: none
  bool required = false;  // must be there
  // Always there in the server's own form of the object (a Go struct by value, a list without
  // omitempty): a new object does not add it.
  bool always = false;
  // Of a built-in kind: what Go writes where nothing was given; null: nothing.
  json::value zero;
};

// One x-kubernetes-validations entry.
struct ShapeRule {
  std::string cel, message, reason, field_path;
  bool transition = false;  // speaks of oldSelf: judged only when there is an old value
};

struct Pattern;

struct Bounds {
  json::array one_of;
  std::optional<double> minimum, maximum;
  bool exclusive_minimum = false, exclusive_maximum = false;
  std::optional<std::int64_t> min_length, max_length, min_items, max_items, min_members,
      max_members;
  std::shared_ptr<const Pattern> pattern;
  std::string format;
};

struct Shape {
  ShapeKind kind = ShapeKind::kAny;
  ListKind list = ListKind::kAtomic;
  bool atomic_map = false;
  bool keeps_unknown = false;  // preserve-unknown-fields, embedded resources, no members declared
  bool nullable = false;
  bool custom = false;  // from a CRD: its schema is enforced; else from the server's types
  std::vector<std::string> keys;          // of a keyed list
  std::vector<json::value> key_defaults;  // beside keys; null: none
  std::vector<ShapeMember> members;       // by name
  const Shape* values = nullptr;          // additionalProperties
  const Shape* items = nullptr;
  std::unique_ptr<const Bounds> bounds;
  std::vector<ShapeRule> rules;
  std::string merge_key;                        // of strategic merge; empty: no merge by key
  bool merges = false;                          // strategic merge joins the list
  bool replaces = false;                        // strategic merge: retainKeys or replace
  [[nodiscard]] std::string type_name() const;  // "object", as messages write it

  [[nodiscard]] const ShapeMember* member(std::string_view name) const;
  // Of the value below `name`, declared or free; nullptr: unknown.
  [[nodiscard]] const Shape* below(std::string_view name) const;
  [[nodiscard]] bool is_free_map() const { return values != nullptr; }
};

// A regular expression in RE2's syntax, as the API server's.
struct Pattern {
  explicit Pattern(std::string text);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  [[nodiscard]] bool matches(std::string_view text) const;
  std::string text;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

class Shapes {
 public:
  // The root of a custom kind; its metadata, apiVersion and kind are the server's own, whatever
  // `schema` says. An empty schema keeps everything.
  const Shape* compile_custom(const json::object& schema, const Shape* metadata);
  // `definitions`: what "#/components/schemas/NAME" refers to; borrowed for the call.
  const Shape* compile_definition(const std::string& name, const json::object& definitions);
  [[nodiscard]] static const Shape& any();
  // The CEL texts of all rules compiled so far.
  [[nodiscard]] const std::set<std::string>& rules() const { return rules_; }

 private:
  void fill(Shape& shape, const json::object& schema);
  void fill_members(Shape& shape, const json::object& schema);
  void fill_list(Shape& shape, const json::object& schema);
  const Shape* child(const json::object& schema);
  const Shape* reference(std::string_view target);

  std::deque<Shape> shapes_;
  std::map<std::string, const Shape*, std::less<>> named_;
  std::set<std::string> rules_;
  const json::object* definitions_ = nullptr;
  bool custom_ = false;
};

}  // namespace davit::sim
