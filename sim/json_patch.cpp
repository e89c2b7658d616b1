#include <charconv>

#include "sim/merge.hpp"

namespace davit::sim {

namespace {

std::vector<std::string> pointer_steps(std::string_view pointer) {
  std::vector<std::string> steps;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);  // the slash
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    std::string step;
    for (std::size_t i = 0; i < end; ++i) {
      const bool escape = pointer[i] == '~' && i + 1 < end;
      step += escape ? (pointer[++i] == '1' ? '/' : '~') : pointer[i];
    }
    steps.push_back(std::move(step));
    pointer.remove_prefix(end);
  }
  return steps;
}

std::optional<std::size_t> index_of(const json::array& list, const std::string& step, bool insert) {
  if (insert && step == "-") return list.size();
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (error != std::errc() || end != step.data() + step.size()) return std::nullopt;
  return index < list.size() + (insert ? 1 : 0) ? std::optional(index) : std::nullopt;
}

json::value* walk(json::value& root, const std::vector<std::string>& steps, std::size_t count) {
  json::value* at = &root;
  for (std::size_t i = 0; at && i < count; ++i) {
    if (json::object* object = at->if_object()) {
      at = object->if_contains(steps[i]);
    } else if (json::array* list = at->if_array()) {
      const auto index = index_of(*list, steps[i], false);
      at = index ? &(*list)[*index] : nullptr;
    } else {
      at = nullptr;
    }
  }
  return at;
}

bool add(json::value& root, const std::vector<std::string>& steps, json::value value) {
  if (steps.empty()) {
    root = std::move(value);
    return true;
  }
  json::value* parent = walk(root, steps, steps.size() - 1);
  if (!parent) return false;
  if (json::object* object = parent->if_object()) {
    (*object)[steps.back()] = std::move(value);
    return true;
  }
  json::array* list = parent->if_array();
  const auto index = list ? index_of(*list, steps.back(), true) : std::nullopt;
  if (!index) return false;
  list->insert(list->begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
  return true;
}

bool remove(json::value& root, const std::vector<std::string>& steps) {
  json::value* parent = steps.empty() ? nullptr : walk(root, steps, steps.size() - 1);
  if (!parent || !walk(root, steps, steps.size())) return false;
  if (json::object* object = parent->if_object()) {
    object->erase(steps.back());
  } else {
    json::array& list = parent->as_array();
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(*index_of(list, steps.back(), false)));
  }
  return true;
}

bool run(json::value& target, const json::object& operation) {
  const auto is_pointer = [&](std::string_view name) {
    const std::string_view text = wire::find_string(operation, name);
    return text.empty() || text.front() == '/';
  };
  if (!is_pointer("path") || !is_pointer("from")) return false;
  const std::string_view op = wire::find_string(operation, "op");
  const auto path = pointer_steps(wire::find_string(operation, "path"));
  const json::value* value = operation.if_contains("value");
  if (op == "remove") return remove(target, path);
  if (op == "move" || op == "copy") {
    const auto from = pointer_steps(wire::find_string(operation, "from"));
    const json::value* source = walk(target, from, from.size());
    if (!source) return false;
    json::value moved = *source;
    return (op == "copy" || remove(target, from)) && add(target, path, std::move(moved));
  }
  if (!value) return false;
  if (op == "add") return add(target, path, *value);
  json::value* there = walk(target, path, path.size());
  if (op == "replace") {
    if (there) *there = *value;
    return there != nullptr;
  }
  return op == "test" && there && *there == *value;
}

}  // namespace

Answer<json::value> json_patch(json::value target, const json::array& operations) {
  for (const json::value& operation : operations) {
    if (!operation.is_object() || !run(target, operation.as_object())) {
      ApiError error = invalid({}, "", {}).error();
      error.kind.clear();
      error.has_details = true;
      error.message = "the server rejected our request due to an error in our request";
      return Refusal(std::move(error));
    }
  }
  return target;
}

}  // namespace davit::sim
