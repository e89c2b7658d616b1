// Label and field selectors as the API server reads them from a query.
//
// Labels: equality (=, ==, !=), set (in, notin) and existence (a, !a). Fields: equality and
// inequality on dotted paths; which fields a kind supports is not checked. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/api_error.hpp"

namespace davit::sim {

class Selector {
 public:
  static Answer<Selector> labels(std::string_view text);
  static Answer<Selector> fields(std::string_view text);

  [[nodiscard]] bool matches(const json::object& object) const;
  // Selects everything.
  [[nodiscard]] bool empty() const { return terms_.empty(); }

 private:
  enum class Op { kIn, kNotIn, kExists, kMissing, kGreater, kLess };
  struct Term {
    std::string key;
    Op op = Op::kIn;
    std::vector<std::string> values;
  };
  bool of_fields_ = false;
  std::vector<Term> terms_;
};

// matchLabels and matchExpressions of a LabelSelector object; an empty selector matches everything.
[[nodiscard]] bool label_selector_matches(const json::object& selector, const json::object& object);

}  // namespace davit::sim
