#include "sim/serve/json_path.hpp"

#include <charconv>
#include <vector>

namespace davit::sim {

namespace {

using Matches = std::vector<const json::value*>;

void take_member(Matches& matches, std::string_view name) {
  Matches next;
  for (const json::value* value : matches) {
    const json::object* object = value->if_object();
    const json::value* member = object ? object->if_contains(name) : nullptr;
    if (member) next.push_back(member);
  }
  matches = std::move(next);
}

void take_items(Matches& matches) {
  Matches next;
  for (const json::value* value : matches) {
    if (const json::array* array = value->if_array()) {
      for (const json::value& item : *array) next.push_back(&item);
    } else if (const json::object* object = value->if_object()) {
      for (const auto& member : *object) next.push_back(&member.value());
    }
  }
  matches = std::move(next);
}

bool take_index(Matches& matches, std::string_view text) {
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  Matches next;
  for (const json::value* value : matches) {
    const json::array* array = value->if_array();
    if (!array) continue;
    const auto size = static_cast<int>(array->size());
    const int at = index < 0 ? size + index : index;
    if (at >= 0 && at < size) next.push_back(&(*array)[static_cast<std::size_t>(at)]);
  }
  matches = std::move(next);
  return true;
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : std::string_view{};
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool equals(const json::value& value, std::string_view literal) {
  if (value.is_string()) return std::string_view(value.get_string()) == unquoted(literal);
  return json::serialize(value) == literal;
}

// "@.type==\"Ready\""
bool take_filter(Matches& matches, std::string_view filter) {
  const std::size_t operation = filter.find("==");
  if (!filter.starts_with("@.") || operation == std::string_view::npos) return false;
  const std::string_view member = trim(filter.substr(2, operation - 2));
  const std::string_view literal = trim(filter.substr(operation + 2));
  take_items(matches);
  std::erase_if(matches, [&](const json::value* item) {
    const json::object* object = item->if_object();
    const json::value* found = object ? wire::find(*object, member) : nullptr;
    return !found || !equals(*found, literal);
  });
  return true;
}

bool take_bracket(Matches& matches, std::string_view inside) {
  if (inside == "*") {
    take_items(matches);
    return true;
  }
  if (inside.starts_with("?(") && inside.ends_with(")")) {
    return take_filter(matches, trim(inside.substr(2, inside.size() - 3)));
  }
  if (const std::string_view name = unquoted(inside); !name.empty()) {
    take_member(matches, name);
    return true;
  }
  return take_index(matches, inside);
}

// The bracket that closes the one `path` begins with, past quoted text.
std::size_t closing_bracket(std::string_view path) {
  char quote = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (quote != 0) {
      if (path[i] == quote) quote = 0;
    } else if (path[i] == '"' || path[i] == '\'') {
      quote = path[i];
    } else if (path[i] == ']') {
      return i;
    }
  }
  return std::string_view::npos;
}

// A member name; dots of a label key come escaped.
std::string take_name(std::string_view& path) {
  std::string name;
  while (!path.empty() && path.front() != '.' && path.front() != '[') {
    if (path.front() == '\\' && path.size() > 1) path.remove_prefix(1);
    name += path.front();
    path.remove_prefix(1);
  }
  return name;
}

}  // namespace

const json::value* first_match(const json::object& object, std::string_view path) {
  // The first step is taken by hand: the object is no value of its own.
  Matches matches;
  bool at_root = true;
  while (!path.empty()) {
    if (path.front() == '[') {
      const std::size_t end = closing_bracket(path);
      if (end == std::string_view::npos) return nullptr;
      const std::string_view inside = path.substr(1, end - 1);
      path.remove_prefix(end + 1);
      if (!at_root) {
        if (!take_bracket(matches, inside)) return nullptr;
        continue;
      }
      if (const json::value* member = object.if_contains(unquoted(inside))) {
        matches.push_back(member);
      }
    } else {
      if (path.front() == '.') path.remove_prefix(1);
      const std::string name = take_name(path);
      if (name.empty()) return nullptr;
      if (!at_root) {
        if (name == "*") {
          take_items(matches);
        } else {
          take_member(matches, name);
        }
        continue;
      }
      if (const json::value* member = object.if_contains(name)) matches.push_back(member);
    }
    at_root = false;
    if (matches.empty()) return nullptr;
  }
  return matches.empty() ? nullptr : matches.front();
}

}  // namespace davit::sim
