// ResourceType: one kind the simulated API server serves; Registry: all of them.
//
// Built-in kinds come with the Registry; custom ones are registered from their CRD. Types live as
// long as the Registry, their addresses are stable: a pointer names the type. One thread.
#pragma once

#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/resource.hpp"
#include "wire/json.hpp"

namespace davit::sim {

struct ApiError;
struct ResourceType;
struct Shape;
struct ShapeRule;
class Shapes;

// Judges one x-kubernetes-validations rule: the message when it is broken, nullopt when it holds.
// `old` is null at creation.
using RuleJudge = std::function<std::optional<std::string>(
    const ShapeRule& rule, const json::value& self, const json::value* old)>;

// Fills in what the server defaults, in place. Called for each object on its way in.
using DefaultsHook = void (*)(json::object& object);
// What the server sets after it noted who owns what: no manager owns it. `before` is null at
// creation; metadata is complete.
using PrepareHook = void (*)(json::object& object, const json::object* before,
                             const std::string& now);
// Refuses what the server would; `before` is null at creation.
using ValidateHook = std::optional<ApiError> (*)(const ResourceType& type,
                                                 const json::object& object,
                                                 const json::object* before);

struct ResourceType {
  std::string group, version, kind, plural;
  bool namespaced = true;
  bool has_status = false;         // a status subresource, and resets on the main one
  bool has_generation = false;     // metadata.generation counts changes of the specification
  bool custom = false;             // declared by a CRD
  bool creates_on_update = false;  // an update makes what is not there
  bool needs_version = false;      // an update must say which version it changes
  bool orphans = false;            // a deletion that does not say how leaves the dependents
  bool returns_deleted = false;    // a deletion answers with the object, not with a Status
  bool graceful = false;           // deletion waits for a grace period (pods on a node)
  const Shape* shape = nullptr;    // never null once registered
  DefaultsHook defaults = nullptr;
  ValidateHook validate = nullptr;
  PrepareHook prepare = nullptr;
  bool annotations_count = false;  // generation counts changes of annotations, too

  [[nodiscard]] std::string api_version() const {
    return group.empty() ? version : group + "/" + version;
  }
  [[nodiscard]] std::string qualified() const {
    return group.empty() ? plural : plural + "." + group;
  }
};

class Registry {
 public:
  // With the built-in kinds. Throws std::runtime_error when their schemas are not there.
  Registry();
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // nullptr when not served.
  [[nodiscard]] const ResourceType* find(std::string_view group, std::string_view version,
                                         std::string_view plural) const;
  [[nodiscard]] const ResourceType* find(const kube::Resource& resource) const;
  // By kind in any version of the group: what owner references name.
  [[nodiscard]] const ResourceType* find_kind(std::string_view api_version,
                                              std::string_view kind) const;
  const ResourceType& add(ResourceType type);
  // Registers (or updates) the served versions of a CRD; an Invalid error's text, or empty.
  std::string add_crd(const json::object& crd);
  void remove_crd(const json::object& crd);

  // How a rule across fields of custom kinds (its CEL text) is judged: the C++ predicate beside it.
  struct Rule {
    // `old` is null at creation. True: the rule holds.
    std::function<bool(const json::value& self, const json::value* old)> holds;
    // The messageExpression's text; empty: the rule's fixed message.
    std::function<std::string(const json::value& self, const json::value* old)> message;
  };
  void add_rule(std::string cel, Rule rule) { rules_[std::move(cel)] = std::move(rule); }
  // For sim/schema: by the rules added; what has none holds, and is counted.
  [[nodiscard]] const RuleJudge& rule_judge() const { return judge_; }
  // CEL texts of the CRDs seen so far that nobody can judge.
  [[nodiscard]] std::vector<std::string> rules_without_predicate() const;

  [[nodiscard]] const std::deque<ResourceType>& types() const { return types_; }

 private:
  std::deque<ResourceType> types_;
  std::map<std::string, Rule, std::less<>> rules_;
  RuleJudge judge_;
  std::unique_ptr<Shapes> shapes_;  // of custom kinds; old ones stay
};

}  // namespace davit::sim
