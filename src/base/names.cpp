#include "base/names.hpp"

#include <algorithm>

namespace davit {

namespace {

bool is_canonical_decimal(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<std::strong_ordering> compare_resource_versions(const ResourceVersion& a,
                                                              const ResourceVersion& b) {
  if (!is_canonical_decimal(a.value) || !is_canonical_decimal(b.value)) return std::nullopt;
  if (a.value.size() != b.value.size()) return a.value.size() <=> b.value.size();
  return a.value.compare(b.value) <=> 0;
}

}  // namespace davit
