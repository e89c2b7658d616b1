// Strong types for the identifiers Kubernetes hands out, so that none is passed for another.
//
// Values; compared whole. A ResourceVersion is opaque: copied, compared for equality, never
// computed (Kubernetes API conventions; KEP-5504 promises an order per resource since 1.35, which
// compare_resource_versions uses with care).
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace davit {

template <typename Tag>
struct StrongString {
  std::string value;

  StrongString() = default;
  explicit StrongString(std::string v) : value(std::move(v)) {}
  [[nodiscard]] bool empty() const { return value.empty(); }
  friend auto operator<=>(const StrongString&, const StrongString&) = default;
};

using Uid = StrongString<struct UidTag>;
using ResourceVersion = StrongString<struct ResourceVersionTag>;
using FieldManager = StrongString<struct FieldManagerTag>;

// Order of two versions of the same resource; nullopt when either is not a decimal integer without
// leading zeros (then they are not comparable). Any number of digits.
[[nodiscard]] std::optional<std::strong_ordering> compare_resource_versions(
    const ResourceVersion& a, const ResourceVersion& b);

// namespace and name; the namespace is empty for cluster-scoped objects.
struct ObjectKey {
  std::string ns;
  std::string name;

  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
  // "ns/name", or "name" for cluster-scoped objects.
  [[nodiscard]] std::string to_string() const { return ns.empty() ? name : ns + "/" + name; }
};

}  // namespace davit

template <>
struct std::hash<davit::ObjectKey> {
  std::size_t operator()(const davit::ObjectKey& key) const noexcept {
    const std::size_t h = std::hash<std::string>{}(key.ns);
    return h * 1099511628211ULL ^ std::hash<std::string>{}(key.name);
  }
};

template <typename Tag>
struct std::hash<davit::StrongString<Tag>> {
  std::size_t operator()(const davit::StrongString<Tag>& s) const noexcept {
    return std::hash<std::string>{}(s.value);
  }
};
