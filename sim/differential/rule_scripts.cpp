#include "sim/differential/rule_scripts.hpp"

#include <fmt/format.h>

#include "base/random.hpp"

namespace davit::sim::differential {

namespace {

struct Rule {
  std::vector<std::string> path;  // member names, from the object
  const json::object* schema = nullptr;
  std::string text;
  [[nodiscard]] bool looks_back() const { return text.contains("oldSelf"); }
};

void collect(const json::object& schema, std::vector<std::string>& path, std::vector<Rule>& rules) {
  if (const json::array* list = wire::find_array(schema, "x-kubernetes-validations")) {
    for (const json::value& entry : *list) {
      rules.push_back({path, &schema, std::string(wire::find_string(entry.as_object(), "rule"))});
    }
  }
  const json::object* properties = wire::find_object(schema, "properties");
  if (!properties) return;
  for (const auto& [name, member] : *properties) {
    if (path.empty() && name == "status") continue;
    path.emplace_back(name);
    collect(member.as_object(), path, rules);
    path.pop_back();
  }
}

// Texts on both sides of the borders of what our rules look at.
const std::vector<std::string> kQuantities = {
    "1Gi",  "0",    "-1",    "10Gi",   "abc",     "",       "5e3",   "1.5Gi", "1Ki", "6Ti",
    "0.1",  "1n",   " 1Gi",  "1Gi ",   "1gi",     "1e-3",   "0Gi",   "+1Gi",  "1E",  "1e",
    "1024", "1k",   "1000m", "1000Mi", "1024Mi",  "1M",     "1G",    "0.5",   ".5",  "5.",
    "00",   "0001", "1 Gi",  "1Gi1",   "1000000", "1Ei",    "9Pi",   "-0",    "1u",  "1e10",
    "5Gi",  "4Gi",  "6Gi",   "5120Mi", "5121Mi",  "5000Mi", "5369M", "1e2Gi", "--1", "0x10"};
const std::vector<std::string> kVersions = {
    "0.40.1",     "0.40",     "v0.40.1",    "01.2.3",     "1.02.3",  "1.2.03",
    "1.2.3-rc1",  "1.2.3-",   "1.2.3-rc.1", "1.2.3-rc-1", "1.2.3+b", "1000000.0.0",
    "999999.0.0", "0.0.0",    "1.2.3 ",     " 1.2.3",     "1.2.3.4", "1.2.3-a_b",
    "1.2.3-.",    "1.2.3-a.", "1..3",       "latest",     "",        "1.2.3\n",
    "1.2.3-rc1-", "1.2.3-0",  "0.0.0-A",    "1.2.x",      "-1.2.3",  "1.2.3-a..b"};
const std::vector<std::string> kWords = {"a",  "solo", "mainnet", "testnet", "a-b", "A",
                                         "00", "0x00", "ab12",    "",        "x y", "solo2"};

class Generator {
 public:
  Generator(std::string rule, std::uint64_t seed) : rule_(std::move(rule)), random_(seed) {}

  json::value value(const json::object& schema, int depth) {
    if (const json::array* choices = wire::find_array(schema, "enum")) {
      return chance(92) ? (*choices)[random_.below(choices->size())] : json::value("other");
    }
    const std::string_view type = wire::find_string(schema, "type");
    if (wire::find_bool(schema, "x-kubernetes-int-or-string", false))
      return json::value(quantity());
    if (type == "boolean") return json::value(chance(50));
    if (type == "integer" || type == "number") {
      const std::int64_t low = wire::find_int(schema, "minimum").value_or(0);
      const std::int64_t high = wire::find_int(schema, "maximum").value_or(low + 10);
      const auto span = static_cast<std::uint64_t>(high - low);
      if (chance(10)) return json::value(chance(50) ? low - 1 : high + 1);
      return json::value(low + static_cast<std::int64_t>(random_.below(span + 1)));
    }
    if (type == "array") return list(schema, depth);
    if (type == "object") return object(schema, depth);
    return json::value(text(schema));
  }

  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }

 private:
  bool chance(int percent) { return random_.below(100) < static_cast<std::uint64_t>(percent); }
  std::string quantity() { return kQuantities[random_.below(kQuantities.size())]; }

  std::string text(const json::object& schema) {
    const std::string_view about = wire::find_string(schema, "description");
    const bool of_size =
        rule_.contains("uantity") || about.contains("uantity") || about.contains("500Gi");
    const auto& pool = of_size                                                 ? kQuantities
                       : rule_.contains("matches") || about.contains("ersion") ? kVersions
                                                                               : kWords;
    std::string text = pool[random_.below(pool.size())];
    // One letter changed: neighbours of the border nobody thought of.
    if (chance(25) && !text.empty()) {
      constexpr std::string_view kLetters = "0123456789.-+aZGiKMe_ /";
      text[random_.below(text.size())] = kLetters[random_.below(kLetters.size())];
    }
    if (chance(5)) text += text;
    return text;
  }

  json::value list(const json::object& schema, int depth) {
    json::array all;
    const json::object* items = wire::find_object(schema, "items");
    for (std::uint64_t n = random_.below(3); items && n > 0; --n) {
      all.push_back(value(*items, depth + 1));
    }
    return all;
  }

  json::value object(const json::object& schema, int depth) {
    json::object all;
    if (const json::object* properties = wire::find_object(schema, "properties")) {
      for (const auto& [name, member] : *properties) {
        const bool named = rule_.contains(std::string(name));
        if (chance(named ? 55 : 30)) all[name] = value(member.as_object(), depth + 1);
      }
    } else if (const json::object* free = wire::find_object(schema, "additionalProperties")) {
      for (std::uint64_t n = random_.below(3); n > 0; --n) {
        all[kWords[random_.below(kWords.size() - 4)]] = value(*free, depth + 1);
      }
    }
    return all;
  }

  std::string rule_;
  SeededRandom random_;
};

void put(json::object& object, const std::vector<std::string>& path, json::value value) {
  json::object* at = &object;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    json::value& next = (*at)[path[i]];
    at = next.is_object() ? &next.as_object() : &next.emplace_object();
  }
  (*at)[path.back()] = std::move(value);
}

}  // namespace

std::vector<Script> rule_scripts(const Kind& kind, const json::object& crd, std::size_t count,
                                 std::uint64_t seed) {
  constexpr std::size_t kPerScript = 50;
  std::vector<Rule> rules;
  std::vector<std::string> path;
  const json::array* versions = wire::find_array(crd, "spec.versions");
  const json::object* schema =
      versions && !versions->empty()
          ? wire::find_object(versions->front().as_object(), "schema.openAPIV3Schema")
          : nullptr;
  if (schema) collect(*schema, path, rules);
  std::vector<Script> scripts;
  for (const Rule& rule : rules) {
    if (rule.path.empty()) continue;
    Generator generator(rule.text, seed++);
    std::string where;
    for (const std::string& name : rule.path) where += "." + name;
    for (std::size_t made = 0; made < count; made += kPerScript) {
      Script script{
          .name = fmt::format("rule {} {} {}", where.substr(1), rule.text, made / kPerScript),
          .kind = kind.resource,
          .row = "create/rules across fields (through their C++ predicates)",
          .controllers = false,
          .steps = {}};
      if (rule.looks_back()) {
        json::object old = kind.sample("a");
        put(old, rule.path, generator.value(*rule.schema, 0));
        // The first is always accepted; the second, made from chance, takes its place where it is.
        script.steps.push_back({{"create", kind.sample("a")}});
        script.steps.push_back({{"update", std::move(old)}});
      }
      for (std::size_t i = 0; i < std::min(kPerScript, count - made); ++i) {
        json::object object = kind.sample("a");
        put(object, rule.path, generator.value(*rule.schema, 0));
        json::object step{{"dry", true}};
        step[rule.looks_back() ? "update" : "create"] = std::move(object);
        script.steps.push_back(std::move(step));
      }
      scripts.push_back(std::move(script));
    }
  }
  return scripts;
}

}  // namespace davit::sim::differential
