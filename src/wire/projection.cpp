#include "wire/projection.hpp"

#include <algorithm>

namespace davit::wire {

namespace {

using Node = Projection::Node;

std::shared_ptr<Node> make_node(bool others) {
  auto node = std::make_shared<Node>();
  node->others = others;
  return node;
}

std::shared_ptr<Node> make_dropped() {
  auto node = make_node(false);
  node->drop = true;
  return node;
}

// While a projection is built, all its nodes are ours alone.
Node* child(Node& node, std::string_view name) {
  return const_cast<Node*>(node.find(name));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

void set_child(Node& node, std::string_view name, std::shared_ptr<Node> rule) {
  std::erase_if(node.members, [name](const auto& member) { return member.first == name; });
  node.members.emplace_back(name, std::move(rule));
}

void keep(Node& root, std::string_view path) {
  Node* at = &root;
  while (!at->others) {  // else everything below is kept already
    const std::size_t dot = path.find('.');
    const std::string_view step = path.substr(0, dot);
    if (dot == std::string_view::npos) {
      set_child(*at, step, make_node(true));
      return;
    }
    if (child(*at, step) == nullptr) set_child(*at, step, make_node(false));
    at = child(*at, step);
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

const Node* Node::find(std::string_view name) const {
  for (const auto& [member, rule] : members) {
    if (member == name) return rule.get();
  }
  return nullptr;
}

Projection::Projection(const std::vector<std::string>& paths) {
  const std::shared_ptr<Node> root = make_node(paths.empty());
  if (paths.empty()) {
    set_child(*root, "metadata", make_node(true));
  } else {
    for (const std::string_view identity : {"apiVersion", "kind"}) keep(*root, identity);
    for (const std::string_view name : kMetadata) keep(*root, "metadata." + std::string(name));
    for (const std::string& path : paths) keep(*root, path);
  }
  set_child(*child(*root, "metadata"), "managedFields", make_dropped());
  root_ = root;
}

Projection Projection::envelope(const Members& members) {
  const std::shared_ptr<Node> root = make_node(false);
  root->members.emplace_back("metadata", make_node(true));
  for (const auto& [name, projection] : members) {
    root->members.emplace_back(name, projection.root_);
  }
  return Projection(std::shared_ptr<const Node>(root));
}

Projection Projection::whole() { return Projection(std::shared_ptr<const Node>(make_node(true))); }

}  // namespace davit::wire
