// FieldSet: a set of field paths, as managedFields records them, kept as a tree.
//
// A path is a list of elements in FieldsV1 notation: "f:spec", "k:{\"name\":\"a\"}", "v:\"x\"". A
// node may be a member itself and have members below it: FieldsV1 marks that with ".". Follows
// sigs.k8s.io/structured-merge-diff v6. Pure; values.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/json.hpp"

namespace davit::sim {

using FieldPath = std::vector<std::string>;

class FieldSet {
 public:
  FieldSet() = default;
  FieldSet(std::initializer_list<FieldPath> paths);

  [[nodiscard]] bool empty() const { return !member_ && children_.empty(); }
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool contains(const FieldPath& path) const;
  // Is what stands here a member.
  [[nodiscard]] bool is_member() const { return member_; }
  // What lies below `element`; nullptr: nothing.
  [[nodiscard]] const FieldSet* below(std::string_view element) const;
  [[nodiscard]] const std::vector<std::pair<std::string, FieldSet>>& children() const {
    return children_;
  }
  // Paths in order.
  [[nodiscard]] std::vector<FieldPath> paths() const;

  void insert(const FieldPath& path);
  // Makes what stands here a member.
  void mark() { member_ = true; }
  // The node below `element`, made where missing. Empty nodes must not stay: see drop_empty().
  FieldSet& at(std::string_view element);
  void add(std::string_view element, FieldSet below);
  void drop_empty();
  void erase(const FieldPath& path);
  // Everything at and below `element`.
  void erase_below(std::string_view element) {
    std::erase_if(children_, [&](const auto& child) { return child.first == element; });
  }

  void unite(const FieldSet& other);
  void subtract(const FieldSet& other);
  [[nodiscard]] static FieldSet common(const FieldSet& a, const FieldSet& b);
  [[nodiscard]] static bool meet(const FieldSet& a, const FieldSet& b);
  friend bool operator==(const FieldSet&, const FieldSet&) = default;

 private:
  bool member_ = false;
  std::vector<std::pair<std::string, FieldSet>> children_;  // by element
};

[[nodiscard]] json::object encode_fields(const FieldSet& fields);
[[nodiscard]] FieldSet decode_fields(const json::object& fields_v1);
// Have both a member in common; without decoding.
[[nodiscard]] bool meets_encoded(const FieldSet& fields, const json::object& fields_v1);
// ".spec.containers[name=\"a\"].image", as conflict messages write it.
[[nodiscard]] std::string describe(const FieldPath& path);

}  // namespace davit::sim
