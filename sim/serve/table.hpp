// Tables: what `kubectl get` shows: columns and cells of objects, computed by the server.
//
//   const TableMaker maker(columns_of(type, crd), loop.wall());
//   json::object table = maker.table(list_or_object);
//
// Columns of built-in kinds are those of Kubernetes 1.36 (pkg/printers/internalversion), those of
// custom kinds come from additionalPrinterColumns of their CRD. All columns are sent, wide ones
// with priority 1; kubectl leaves out what it does not show. Ages are counted by `now`, the
// simulator's wall clock. Pure.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "sim/resource_type.hpp"

namespace davit::sim {

struct Column {
  std::string name;
  std::string type = "string";
  std::string description;
  int priority = 0;
  // Null: the first column, "Name".
  std::function<json::value(const json::object& object, WallTime now)> cell;
};
using Columns = std::vector<Column>;

// Of a custom kind: `crd` is its CustomResourceDefinition.
[[nodiscard]] Columns custom_columns(const json::object& crd, std::string_view version);
// Of a built-in kind; of one that has none of its own: Name and Created At.
[[nodiscard]] Columns builtin_columns(const ResourceType& type);

// "5m", "<unknown>", "<invalid>": how long ago `time` (RFC 3339) was.
[[nodiscard]] std::string age(std::string_view time, WallTime now);

// How much of each object a row carries (the parameter includeObject).
enum class RowObject { kNone, kMetadata, kWhole };

class TableMaker {
 public:
  TableMaker(std::shared_ptr<const Columns> columns, RowObject row_object)
      : columns_(std::move(columns)), row_object_(row_object) {}

  // Of one object or of a list of them. Without headers: rows only, as later events of a watch.
  [[nodiscard]] json::object table(const json::object& object, WallTime now,
                                   bool headers = true) const;

 private:
  [[nodiscard]] json::object row(const json::object& object, WallTime now) const;
  std::shared_ptr<const Columns> columns_;
  RowObject row_object_;
};

// PartialObjectMetadata of an object, PartialObjectMetadataList of a list.
[[nodiscard]] json::object metadata_only(const json::object& object);
[[nodiscard]] bool is_list(const json::object& object);

}  // namespace davit::sim
