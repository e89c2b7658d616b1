#include "sim/differential/random_script.hpp"

#include <fmt/format.h>

#include "base/random.hpp"
#include "sim/merge.hpp"

namespace davit::sim::differential {

namespace {

class Writer {
 public:
  Writer(const Kind& kind, std::uint64_t seed) : kind_(&kind), random_(seed) {}

  std::vector<json::object> steps() {
    std::vector<json::object> all;
    const std::string& resource = kind_->resource;
    const std::string team = kind_->cluster ? "run=${ns}" : "";
    json::object query{{"allowWatchBookmarks", "false"}, {"resourceVersion", "${from}"}};
    if (!kind_->cluster) {
      all.push_back({{"list", resource},
                     {"keep", json::object{{"from", "/metadata/resourceVersion"}}},
                     {"quiet", true}});
      all.push_back({{"watch", resource}, {"as", "w"}, {"query", query}});
    }
    all.push_back({{"create", sample("a")}});
    const std::size_t length = 20 + random_.below(20);
    for (std::size_t i = 0; i < length; ++i) all.push_back(step());
    if (!kind_->cluster) {
      all.push_back({{"create", sample("end")}});
      all.push_back({{"events", "w"}, {"until", json::object{{"type", "ADDED"}, {"name", "end"}}}});
    }
    return all;
  }

 private:
  bool chance(int percent) { return random_.below(100) < static_cast<std::uint64_t>(percent); }
  template <typename T>
  const T& one_of(const std::vector<T>& list) {
    return list[random_.below(list.size())];
  }
  std::string name() { return chance(70) ? "a" : "b"; }
  std::string path(const std::string& name) { return kind_->resource + "/" + name; }
  json::object sample(const std::string& name) const {
    return kind_->sample(kind_->cluster ? "${ns}-" + name : name);
  }
  json::object bare(const std::string& name) const {
    return kind_->bare(kind_->cluster ? "${ns}-" + name : name);
  }

  json::object edited(json::object object, int most) {
    json::value value = std::move(object);
    for (std::uint64_t n = random_.below(static_cast<std::uint64_t>(most) + 1); n > 0; --n) {
      if (!kind_->edits.empty()) value = merge_patch(value, one_of(kind_->edits));
    }
    return value.as_object();
  }
  json::object metadata_edit() {
    static const std::vector<json::object> kEdits = {
        {{"labels", json::object{{"team", "one"}}}},
        {{"labels", json::object{{"team", "two"}, {"zone", "z"}}}},
        {{"labels", json::object{{"team", nullptr}}}},
        {{"annotations", json::object{{"note", "n"}}}},
        {{"annotations", nullptr}},
        {{"finalizers", json::array{"davit.hiero.org/hold"}}},
        {{"finalizers", nullptr}},
        {{"finalizers", json::array{"davit.hiero.org/hold", "davit.hiero.org/other"}}}};
    return {{"metadata", one_of(kEdits)}};
  }
  json::value patch() {
    if (chance(10) && !kind_->wrong.empty()) return one_of(kind_->wrong);
    if (chance(45) || kind_->edits.empty()) return metadata_edit();
    json::object edit = one_of(kind_->edits);
    if (chance(25)) return removal(edit);
    return edit;
  }
  // The edit with one of its leaves removed.
  json::value removal(json::object edit) {
    json::object* at = &edit;
    for (;;) {
      const auto index = random_.below(at->size());
      auto member = at->begin() + static_cast<std::ptrdiff_t>(index);
      if (member->value().is_object() && !member->value().as_object().empty()) {
        at = &member->value().as_object();
        continue;
      }
      member->value() = nullptr;
      return edit;
    }
  }
  json::array operations() {
    json::array all;
    for (std::uint64_t n = 1 + random_.below(2); n > 0; --n) {
      std::string at;
      const json::object edit = edited(kind_->base, 2);
      const json::object* object = &edit;
      const json::value* value = nullptr;
      while (object && !object->empty()) {
        const auto member =
            object->begin() + static_cast<std::ptrdiff_t>(random_.below(object->size()));
        if (at.empty() && (member->key() == "apiVersion" || member->key() == "kind")) continue;
        std::string key(member->key());
        for (std::size_t i = 0; i < key.size(); ++i) {
          if (key[i] == '~') key.replace(i++, 1, "~0");
          if (key[i] == '/') key.replace(i++, 1, "~1");
        }
        at += "/" + key;
        value = &member->value();
        object = chance(20) ? nullptr : value->if_object();
      }
      if (at.empty()) continue;
      static const std::vector<std::string> kOperations = {"add", "add", "replace", "remove",
                                                           "test"};
      const std::string operation = one_of(kOperations);
      json::object entry{{"op", operation}, {"path", at}};
      if (operation != "remove" && value) entry["value"] = *value;
      all.emplace_back(std::move(entry));
    }
    return all;
  }

  json::object write_options(json::object step) {
    static const std::vector<std::string> kManagers = {"one", "two", "three"};
    step["manager"] = one_of(kManagers);
    if (chance(8)) step["dry"] = true;
    return step;
  }

  json::object removal_step() {
    json::object step{{"delete", path(name())}};
    json::object body{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
    if (chance(25)) {
      body["preconditions"] =
          json::object{{"uid", chance(70) ? "${u}" : "0e1a9d2e-0000-4000-8000-000000000000"}};
    } else if (chance(15)) {
      body["preconditions"] = json::object{{"resourceVersion", "${v}"}};
    }
    static const std::vector<std::string> kPropagation = {"Background", "Foreground", "Orphan"};
    if (chance(30)) body["propagationPolicy"] = one_of(kPropagation);
    if (chance(10)) body["dryRun"] = json::array{"All"};
    step["body"] = std::move(body);
    return step;
  }

  json::object step() {
    const std::uint64_t dice = random_.below(100);
    if (dice < 26) {
      json::object config = chance(60) ? edited(sample(name()), 2) : edited(bare(name()), 2);
      if (chance(20)) config = merge_patch(config, metadata_edit()).as_object();
      if (chance(5)) wire::ensure_object(config, "metadata")["uid"] = "${u}";
      json::object step = write_options({{"apply", std::move(config)}});
      if (chance(35)) step["force"] = true;
      return step;
    }
    if (dice < 34) return write_options({{"create", edited(sample(name()), 2)}});
    if (dice < 50) return write_options({{"merge", path(name())}, {"body", patch()}});
    if (dice < 58) return write_options({{"json", path(name())}, {"body", operations()}});
    if (dice < 64) return write_options({{"strategic", path(name())}, {"body", patch()}});
    if (dice < 74) {
      json::object object = edited(sample(name()), 2);
      if (chance(30)) wire::ensure_object(object, "metadata")["resourceVersion"] = "${v}";
      return write_options({{"update", std::move(object)}});
    }
    if (dice < 80 && kind_->has_status && !kind_->statuses.empty()) {
      json::object step = write_options({});
      const json::object& status = one_of(kind_->statuses);
      if (chance(50)) {
        step["apply"] = merge_patch(json::value(bare(name())), status);
        step["force"] = chance(50);
      } else {
        step["merge"] = path(name());
        step["body"] = status;
      }
      step["sub"] = "status";
      return step;
    }
    if (dice < 89) return removal_step();
    if (dice < 96) {
      return {{"get", path(name())},
              {"keep", json::object{{"u", "/metadata/uid"}, {"v", "/metadata/resourceVersion"}}}};
    }
    json::object step{{"list", kind_->resource}};
    step["query"] = json::object{
        {"labelSelector", kind_->cluster ? "team=one,run=${ns}" : "team in (one, two)"}};
    return step;
  }

  const Kind* kind_;
  SeededRandom random_;
};

}  // namespace

Script random_script(const Kinds& kinds, std::uint64_t seed) {
  std::vector<const Kind*> usable;
  for (const auto& [resource, kind] : kinds) {
    if (kind.random) usable.push_back(&kind);
  }
  SeededRandom random(seed);
  (void)random.next();
  const Kind& kind = *usable.at(random.below(usable.size()));
  return {.name = fmt::format("random {}", seed),
          .kind = kind.resource,
          .row = {},
          .controllers = false,
          .steps = Writer(kind, random.next()).steps()};
}

}  // namespace davit::sim::differential
