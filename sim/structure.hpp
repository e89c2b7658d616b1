// Structure: a cursor into the shape of a kind: how server-side apply sees the value under it.
//
// For custom kinds it follows the CRD's schema (x-kubernetes-list-type, list-map-keys, map-type,
// additionalProperties), for built-in ones the table of merge keys. A small value; borrows the
// type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/merge_keys.hpp"
#include "sim/resource_type.hpp"

namespace davit::sim {

class Structure {
 public:
  explicit Structure(const ResourceType& type);

  [[nodiscard]] Structure member(std::string_view name) const;
  [[nodiscard]] Structure item() const;

  // Of the value under the cursor, if it is a list.
  struct List {
    runtime::ListType type = runtime::ListType::kAtomic;
    std::vector<std::string> keys;
  };
  [[nodiscard]] List list() const;
  // If it is a map: changes hands as one; has free keys.
  [[nodiscard]] bool is_atomic_map() const;
  [[nodiscard]] bool is_free_map() const;

 private:
  std::string_view kind_;
  std::string parent_, name_;
  const json::object* schema_ = nullptr;  // of the value under the cursor; null: the table
  bool by_schema_ = false;                // below a schema, even where it says nothing
};

// "k:{…}" of a keyed list's item, as managedFields writes it.
[[nodiscard]] std::string item_key(const json::object& item, const std::vector<std::string>& keys);

}  // namespace davit::sim
