#include "sim/selectors.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace davit::sim {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Splits at commas outside parentheses.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      terms.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')') {
      --depth;
    }
  }
  std::erase_if(terms, [](std::string_view term) { return term.empty(); });
  return terms;
}

std::vector<std::string> split_values(std::string_view list) {
  std::vector<std::string> values;
  for (const std::string_view value : split_terms(list)) values.emplace_back(value);
  return values;
}

std::optional<std::string> label_of(const json::object& object, const std::string& key) {
  const json::object* labels = wire::find_object(object, "metadata.labels");
  const json::value* value = labels ? labels->if_contains(key) : nullptr;
  if (!value || !value->is_string()) return std::nullopt;
  return std::string(value->as_string());
}

std::int64_t number_of(const std::string& text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Absent fields read as empty, as the server's field sets do.
std::string field_of(const json::object& object, const std::string& path) {
  const json::value* value = wire::find(object, path);
  if (!value) return {};
  return value->is_string() ? std::string(value->as_string()) : json::serialize(*value);
}

}  // namespace

Answer<Selector> Selector::labels(std::string_view text) {
  Selector selector;
  for (const std::string_view term : split_terms(text)) {
    Term parsed;
    const std::size_t paren = term.find('(');
    if (paren != std::string_view::npos) {
      std::string_view head = trimmed(term.substr(0, paren));
      const std::size_t space = head.rfind(' ');
      if (space == std::string_view::npos || term.back() != ')') {
        return bad_request("unable to parse requirement: " + std::string(term));
      }
      const std::string_view op = head.substr(space + 1);
      if (op != "in" && op != "notin") {
        return bad_request("unable to parse requirement: " + std::string(term));
      }
      parsed.key = trimmed(head.substr(0, space));
      parsed.op = op == "in" ? Op::kIn : Op::kNotIn;
      parsed.values = split_values(term.substr(paren + 1, term.size() - paren - 2));
    } else if (const std::size_t equals = term.find('='); equals != std::string_view::npos) {
      const bool negated = equals > 0 && term[equals - 1] == '!';
      const std::size_t value = term.find_first_not_of('=', equals);
      parsed.key = trimmed(term.substr(0, negated ? equals - 1 : equals));
      parsed.op = negated ? Op::kNotIn : Op::kIn;
      parsed.values = {
          std::string(trimmed(value == std::string_view::npos ? "" : term.substr(value)))};
    } else if (const std::size_t sign = term.find_first_of("<>"); sign != std::string_view::npos) {
      parsed.key = trimmed(term.substr(0, sign));
      parsed.op = term[sign] == '>' ? Op::kGreater : Op::kLess;
      parsed.values = {std::string(trimmed(term.substr(sign + 1)))};
    } else if (term.front() == '!') {
      parsed.key = trimmed(term.substr(1));
      parsed.op = Op::kMissing;
    } else {
      parsed.key = term;
      parsed.op = Op::kExists;
    }
    selector.terms_.push_back(std::move(parsed));
  }
  return selector;
}

Answer<Selector> Selector::fields(std::string_view text) {
  auto parsed = labels(text);
  if (!parsed) return parsed;
  for (const Term& term : parsed->terms_) {
    if (term.op == Op::kExists || term.op == Op::kMissing) {
      return bad_request("invalid selector: '" + std::string(text) + "'; can't understand '" +
                         term.key + "'");
    }
  }
  parsed->of_fields_ = true;
  return parsed;
}

bool Selector::matches(const json::object& object) const {
  return std::ranges::all_of(terms_, [&](const Term& term) {
    const std::optional<std::string> value =
        of_fields_ ? field_of(object, term.key) : label_of(object, term.key);
    switch (term.op) {
      case Op::kIn:
        return value && std::ranges::count(term.values, *value) > 0;
      case Op::kNotIn:
        return !value || std::ranges::count(term.values, *value) == 0;
      case Op::kGreater:
        return value && number_of(*value) > number_of(term.values.front());
      case Op::kLess:
        return value && number_of(*value) < number_of(term.values.front());
      case Op::kExists:
        return value.has_value();
      case Op::kMissing:
        return !value.has_value();
    }
    return false;
  });
}

bool label_selector_matches(const json::object& selector, const json::object& object) {
  if (const json::object* labels = wire::find_object(selector, "matchLabels")) {
    for (const auto& [key, value] : *labels) {
      if (label_of(object, key) != std::string(value.as_string())) return false;
    }
  }
  const json::array* expressions = wire::find_array(selector, "matchExpressions");
  if (!expressions) return true;
  return std::ranges::all_of(*expressions, [&](const json::value& entry) {
    const json::object& expression = entry.as_object();
    const auto value = label_of(object, std::string(wire::find_string(expression, "key")));
    const std::string_view op = wire::find_string(expression, "operator");
    if (op == "Exists") return value.has_value();
    if (op == "DoesNotExist") return !value.has_value();
    bool listed = false;
    if (const json::array* values = wire::find_array(expression, "values"); values && value) {
      listed = std::ranges::any_of(*values,
                                   [&](const json::value& v) { return v.as_string() == *value; });
    }
    return op == "In" ? listed : !listed;
  });
}

}  // namespace davit::sim
