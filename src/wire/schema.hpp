// Schema: the described structs. One table per struct says what each field is called in JSON, what
// it means and what is allowed; the reader, the writer, the OpenAPI schema of a CRD and the
// reference text all come from it.
//
//   template <> const Struct& describe<Port>() {          // declared in the header of the tables
//     static constexpr Field kFields[]{
//         field<&Port::name>({.name = "name", .text = "Name of the port.", .required = true}),
//         field<&Port::number>({.name = "number", .text = "TCP port.", .unit = "port number",
//                               .minimum = 1, .maximum = 65535}),
//     };
//     static constexpr Struct kStruct = structure<Port>("Port", "A port.", kFields);
//     return kStruct;
//   }
//   Result<Port> port = read<Port>(object, "spec.port");
//   json::object out = write(*port);
//
// Members may be std::string, bool, std::int64_t, a described struct, and std::optional,
// std::vector and std::map<std::string, …> of those. Tables are constants; any thread.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "wire/json.hpp"

namespace davit::wire {

enum class Kind { kString, kBoolean, kInteger, kList, kMap, kStruct };

// How a scalar, or the scalars in a list or map, look in JSON.
enum class Form {
  kPlain,
  kText,      // text that may also be written as an integer: environment values
  kQuantity,  // resource.Quantity: "2Gi", "500m", 1
  kSize,      // a quantity that is always text, so that CEL can compare it
  kPercent,   // an integer in C++, "38%" in JSON
  kTime,      // RFC 3339
};

// One CEL rule on a field. `expression` (CEL, optional) builds a better message than the fixed one.
struct Rule {
  std::string_view cel;
  std::string_view message;
  std::string_view expression;
};

inline constexpr std::int64_t kNoMinimum = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kNoMaximum = std::numeric_limits<std::int64_t>::max();

// What a table says about a field. Limits of text, lists and maps must be given, so that the API
// server can bound the cost of CEL.
struct FieldSpec {
  std::string_view name;      // in JSON
  std::string_view text;      // what it is, in whole sentences
  std::string_view unit{};    // "bytes", "percent", "block number"
  std::string_view absent{};  // what holds when it is not given
  std::string_view source{};  // where a status value comes from
  bool required = false;
  bool defaulted = false;  // the default is the C++ one
  Form form = Form::kPlain;
  std::int64_t minimum = kNoMinimum;
  std::int64_t maximum = kNoMaximum;
  std::size_t min_length = 0;
  std::size_t max_length = 0;    // of each text; 0: no limit
  std::size_t max_items = 0;     // of a list or map; 0: no limit
  std::string_view pattern{};    // of each text
  std::string_view one_of{};     // words, separated by spaces
  std::string_view list_key{};   // a list is a map with this key
  bool set = false;              // a list is a set
  std::string_view immutable{};  // message; empty: may change
  Rule rule{};
  Rule second_rule{};
};

struct Struct;
struct Field;

// Where a value stands, for messages: built on the stack, rendered only when something is wrong.
struct Path {
  const Path* parent = nullptr;
  std::string_view name{};
  std::size_t index = 0;
  bool element = false;  // of a list: by index
  bool key = false;      // of a map: by key

  [[nodiscard]] std::string to_string() const;  // "spec.sources[2].address"
};

// What the tables know of a C++ type.
struct Type {
  Kind kind;
  bool optional = false;
  const Type* item = nullptr;              // of a list or map
  const Struct& (*structure)() = nullptr;  // of a struct, also inside optional
  Status (*read)(const json::value&, void* out, const Path&, Form);
  bool (*write)(const void*, json::value& out, Form);  // false: nothing to write
  std::size_t size;
};

struct Field {
  FieldSpec spec;
  const Type* type;
  void* (*at)(void*);
  const void* (*view)(const void*);
};

struct Struct {
  std::string_view name;
  std::string_view text;
  std::span<const Field> fields;
  const void* (*fresh)();  // a default-constructed one
  std::size_t size;
};

// The table of T: specialised for each described struct.
template <typename T>
const Struct& describe();

[[nodiscard]] Status read_struct(const Struct&, const json::object&, void* out, const Path&);
[[nodiscard]] json::object write_struct(const Struct&, const void*);

// Members that are absent or null keep the C++ default; unknown members are ignored. The first
// member of the wrong type is kInvalid, and the message names its path under `root`. Limits are not
// checked here.
template <typename T>
[[nodiscard]] Result<T> read(const json::object& object, std::string_view root) {
  T out{};
  const Path path{.name = root};
  if (auto ok = read_struct(describe<T>(), object, &out, path); !ok) return fail(ok.error());
  return out;
}

// Without absent optionals and empty lists, maps and structs.
template <typename T>
[[nodiscard]] json::object write(const T& value) {
  return write_struct(describe<T>(), &value);
}

}  // namespace davit::wire

#include "wire/schema_type.hpp"  // IWYU pragma: export
