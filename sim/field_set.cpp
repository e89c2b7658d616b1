#include "sim/field_set.hpp"

#include <algorithm>

namespace davit::sim {

namespace {

using Child = std::pair<std::string, FieldSet>;

template <typename Children>
auto place(Children& children, std::string_view element) {
  return std::ranges::lower_bound(children, element, {},
                                  [](const Child& child) { return std::string_view(child.first); });
}

void collect(const FieldSet& set, FieldPath& path, std::vector<FieldPath>& paths) {
  if (set.is_member()) paths.push_back(path);
  for (const auto& [element, below] : set.children()) {
    path.push_back(element);
    collect(below, path, paths);
    path.pop_back();
  }
}

FieldSet decode_node(const json::object& node) {
  FieldSet set;
  if (node.empty() || node.contains(".")) set.mark();
  for (const auto& [element, below] : node) {
    if (element == "." || !below.is_object()) continue;
    set.add(element, decode_node(below.as_object()));
  }
  return set;
}

json::object encode_node(const FieldSet& set) {
  json::object node;
  node.reserve(set.children().size() + 1);
  if (set.is_member() && !set.children().empty()) node["."] = json::object{};
  for (const auto& [element, below] : set.children()) node[element] = encode_node(below);
  return node;
}

}  // namespace

FieldSet::FieldSet(std::initializer_list<FieldPath> paths) {
  for (const FieldPath& path : paths) insert(path);
}

std::size_t FieldSet::size() const {
  std::size_t count = member_ ? 1 : 0;
  for (const auto& [element, below] : children_) count += below.size();
  return count;
}

const FieldSet* FieldSet::below(std::string_view element) const {
  const auto found = place(children_, element);
  return found != children_.end() && found->first == element ? &found->second : nullptr;
}

bool FieldSet::contains(const FieldPath& path) const {
  const FieldSet* node = this;
  for (const std::string& element : path) {
    node = node->below(element);
    if (!node) return false;
  }
  return node->member_;
}

std::vector<FieldPath> FieldSet::paths() const {
  std::vector<FieldPath> all;
  FieldPath path;
  collect(*this, path, all);
  return all;
}

FieldSet& FieldSet::at(std::string_view element) {
  const auto found = place(children_, element);
  if (found != children_.end() && found->first == element) return found->second;
  return children_.emplace(found, std::string(element), FieldSet())->second;
}

void FieldSet::add(std::string_view element, FieldSet below) {
  if (!below.empty()) at(element) = std::move(below);
}

void FieldSet::insert(const FieldPath& path) {
  FieldSet* node = this;
  for (const std::string& element : path) node = &node->at(element);
  node->member_ = true;
}

void FieldSet::drop_empty() {
  for (auto& [element, below] : children_) below.drop_empty();
  std::erase_if(children_, [](const Child& child) { return child.second.empty(); });
}

void FieldSet::erase(const FieldPath& path) {
  FieldSet only;
  only.insert(path);
  subtract(only);
}

void FieldSet::unite(const FieldSet& other) {
  member_ = member_ || other.member_;
  for (const auto& [element, below] : other.children_) at(element).unite(below);
}

void FieldSet::subtract(const FieldSet& other) {
  if (other.member_) member_ = false;
  bool emptied = false;
  for (const auto& [element, below] : other.children_) {
    const auto found = place(children_, element);
    if (found == children_.end() || found->first != element) continue;
    found->second.subtract(below);
    emptied = emptied || found->second.empty();
  }
  if (emptied) std::erase_if(children_, [](const Child& child) { return child.second.empty(); });
}

FieldSet FieldSet::common(const FieldSet& a, const FieldSet& b) {
  FieldSet both;
  both.member_ = a.member_ && b.member_;
  for (const auto& [element, below] : a.children_) {
    if (const FieldSet* other = b.below(element)) both.add(element, common(below, *other));
  }
  return both;
}

bool FieldSet::meet(const FieldSet& a, const FieldSet& b) {
  if (a.member_ && b.member_) return true;
  return std::ranges::any_of(a.children_, [&](const Child& child) {
    const FieldSet* other = b.below(child.first);
    return other && meet(child.second, *other);
  });
}

json::object encode_fields(const FieldSet& fields) { return encode_node(fields); }

FieldSet decode_fields(const json::object& fields_v1) {
  if (fields_v1.empty()) return {};
  return decode_node(fields_v1);
}

bool meets_encoded(const FieldSet& fields, const json::object& fields_v1) {
  if (fields.is_member() && (fields_v1.empty() || fields_v1.contains("."))) return true;
  return std::ranges::any_of(fields.children(), [&](const auto& child) {
    const json::value* below = fields_v1.if_contains(child.first);
    return below && below->is_object() && meets_encoded(child.second, below->as_object());
  });
}

std::string describe(const FieldPath& path) {
  std::string text;
  for (const std::string& element : path) {
    const std::string_view rest = std::string_view(element).substr(2);
    if (element.starts_with("f:")) {
      text += "." + std::string(rest);
      continue;
    }
    if (element.starts_with("v:")) {
      text += "[=" + std::string(rest) + "]";
      continue;
    }
    const auto keys = wire::parse_json_object(rest);
    std::string list;
    for (const auto& [key, value] : keys ? *keys : json::object()) {
      if (!list.empty()) list += ",";
      list += std::string(key) + "=" + json::serialize(value);
    }
    text += "[" + list + "]";
  }
  return text;
}

}  // namespace davit::sim
