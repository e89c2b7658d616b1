#include "sim/differential/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/merge.hpp"
#include "wire/yaml.hpp"

namespace davit::sim::differential {

namespace {

// What one expansion of a family stands for.
struct Place {
  const Kind* kind = nullptr;
  std::optional<std::size_t> entry;
  std::string each;
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

Result<json::value> expand(const json::value& value, const Place& place, const Kinds& kinds);

// {$of: NAME, $kind: R, $edit: N, $bare: true, …}: a sample with the other members merged onto it.
Result<json::value> expand_sample(const json::object& written, const Place& place,
                                  const Kinds& kinds) {
  const Kind* kind = place.kind;
  if (const std::string_view named = wire::find_string(written, "$kind"); !named.empty()) {
    const auto found = kinds.find(std::string(named));
    kind = found == kinds.end() ? nullptr : &found->second;
  }
  if (!kind) return fail(Code::kInvalid, "$of without a kind that kinds.yaml knows");
  const std::string name(wire::find_string(written, "$of"));
  const std::string unique = (kind->cluster ? "${ns}-" : "") + name;
  json::value object =
      wire::find_bool(written, "$bare", false) ? kind->bare(unique) : kind->sample(unique);
  const auto merge_entry = [&](const std::vector<json::object>& list, std::size_t index) {
    if (!list.empty()) object = merge_patch(object, list[index % list.size()]);
  };
  if (const json::value* edit = written.if_contains("$edit")) {
    if (edit->is_int64()) {
      merge_entry(kind->edits, static_cast<std::size_t>(edit->as_int64()));
    } else if (place.entry) {
      merge_entry(place.each == "wrong" ? kind->wrong : kind->edits, *place.entry);
    }
  }
  json::object rest;
  for (const auto& [key, value] : written) {
    if (key == "$of" || key == "$kind" || key == "$edit" || key == "$bare") continue;
    auto expanded = expand(value, place, kinds);
    if (!expanded) return expanded;
    rest[key] = std::move(*expanded);
  }
  return merge_patch(object, rest);
}

Result<json::value> expand(const json::value& value, const Place& place, const Kinds& kinds) {
  if (value.is_string()) {
    std::string text(value.as_string());
    if (place.kind) replace_all(text, "${kind}", place.kind->resource);
    return json::value(text);
  }
  if (value.is_array()) {
    json::array result;
    for (const json::value& item : value.as_array()) {
      auto expanded = expand(item, place, kinds);
      if (!expanded) return expanded;
      result.push_back(std::move(*expanded));
    }
    return json::value(std::move(result));
  }
  if (!value.is_object()) return value;
  const json::object& object = value.as_object();
  if (object.contains("$of")) return expand_sample(object, place, kinds);
  if (object.contains("$entry") && place.kind) {
    // The edit itself, as a patch.
    const auto& list = place.each == "wrong" ? place.kind->wrong : place.kind->edits;
    const std::size_t index = place.entry.value_or(
        static_cast<std::size_t>(wire::find_int(object, "$entry").value_or(0)));
    if (list.empty()) return json::value(json::object{});
    return json::value(list[index % list.size()]);
  }
  json::object result;
  for (const auto& [key, member] : object) {
    auto expanded = expand(member, place, kinds);
    if (!expanded) return expanded;
    result[key] = std::move(*expanded);
  }
  return json::value(std::move(result));
}

// Resources of `names`, which are resources or groups of conformance.yaml.
std::vector<std::string> resolve(const json::array& names, const Conformance& conformance) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& resource) {
    if (std::ranges::find(all, resource) == all.end()) all.push_back(resource);
  };
  for (const json::value& value : names) {
    if (!value.is_string()) continue;
    const std::string name(value.as_string());
    const auto group = conformance.groups.find(name);
    if (group == conformance.groups.end()) {
      add(name);
    } else {
      for (const std::string& resource : group->second) add(resource);
    }
  }
  return all;
}

Status expand_family(const json::object& family, const Kinds& kinds, const Conformance& conformance,
                     std::vector<Script>& scripts) {
  const std::string name(wire::find_string(family, "name"));
  const json::array* steps = wire::find_array(family, "steps");
  if (name.empty() || !steps) return fail(Code::kInvalid, "a script needs a name and steps");
  const std::string each(wire::find_string(family, "each"));
  std::vector<Place> places;
  if (const json::array* wanted = wire::find_array(family, "kinds")) {
    for (const std::string& resource : resolve(*wanted, conformance)) {
      const auto kind = kinds.find(resource);
      if (kind == kinds.end()) {
        return fail(Code::kInvalid, name + ": kinds.yaml has no " + resource);
      }
      if (wire::find_bool(family, "status", false) && !kind->second.has_status) continue;
      if (each.empty()) {
        places.push_back({&kind->second, std::nullopt, {}});
        continue;
      }
      const auto& list = each == "wrong" ? kind->second.wrong : kind->second.edits;
      for (std::size_t i = 0; i < list.size(); ++i) places.push_back({&kind->second, i, each});
    }
  } else {
    places.push_back({});
  }
  for (const Place& place : places) {
    Script script{.name = name,
                  .kind = place.kind ? place.kind->resource : std::string(),
                  .row = std::string(wire::find_string(family, "row")),
                  .controllers = wire::find_bool(family, "controllers", false),
                  .steps = {}};
    if (place.kind) script.name += " " + place.kind->resource;
    if (place.entry) script.name += fmt::format(" {} {}", each, *place.entry);
    for (const json::value& step : *steps) {
      auto expanded = expand(step, place, kinds);
      if (!expanded) return fail(std::move(expanded.error()).because(script.name));
      if (!expanded->is_object()) return fail(Code::kInvalid, script.name + ": a step is a map");
      script.steps.push_back(std::move(expanded->as_object()));
    }
    scripts.push_back(std::move(script));
  }
  return {};
}

}  // namespace

Result<Conformance> load_conformance(const std::string& file) {
  auto loaded = load_yaml(file);
  if (!loaded) return fail(std::move(loaded.error()));
  const json::object* root = loaded->if_object();
  const json::object* groups = root ? wire::find_object(*root, "kinds") : nullptr;
  const json::array* rows = root ? wire::find_array(*root, "rows") : nullptr;
  if (!groups || !rows) return fail(Code::kInvalid, file + " has no kinds and rows");
  Conformance conformance;
  for (const auto& [group, members] : *groups) {
    for (const json::value& member : members.as_array()) {
      const std::string_view qualified = member.as_string();
      conformance.groups[group].emplace_back(qualified.substr(0, qualified.find('.')));
    }
  }
  for (const json::value& value : *rows) {
    const json::object& row = value.as_object();
    const json::array* named = wire::find_array(row, "kinds");
    conformance.rows.push_back(
        {.kinds = named ? resolve(*named, conformance) : std::vector<std::string>(),
         .verb = std::string(wire::find_string(row, "verb")),
         .feature = std::string(wire::find_string(row, "feature")),
         .level = std::string(wire::find_string(row, "level"))});
  }
  return conformance;
}

Result<std::vector<Script>> load_scripts(const std::string& folder, const Kinds& kinds,
                                         const Conformance& conformance) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  if (error) return fail(Code::kNotFound, folder + ": " + error.message());
  std::ranges::sort(files);
  std::vector<Script> scripts;
  for (const std::string& file : files) {
    auto loaded = load_yaml(file);
    if (!loaded) return fail(std::move(loaded.error()));
    if (!loaded->is_array()) return fail(Code::kInvalid, file + " is no list of scripts");
    for (const json::value& family : loaded->as_array()) {
      if (!family.is_object()) return fail(Code::kInvalid, file + ": a script is a map");
      if (auto added = expand_family(family.as_object(), kinds, conformance, scripts); !added) {
        return fail(std::move(added.error()).because(file));
      }
    }
  }
  return scripts;
}

std::string describe(const Script& script) {
  std::string text = "# " + script.name + "\n";
  json::array steps;
  for (const json::object& step : script.steps) steps.emplace_back(step);
  return text + wire::to_yaml(json::value(steps));
}

}  // namespace davit::sim::differential
