// Every request is in the access tables (from which RBAC is made), whether or not the server
// happens to allow it. Secrets are in no table: reading one is named as such.
#include <fmt/format.h>

#include <set>

#include "app/access.hpp"
#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

class AccessesAreDeclared final : public Judge {
 public:
  AccessesAreDeclared() {
    for (const kube::AccessTable table : app::access_tables()) add(table);
    add(app::kOwnNamespaceAccess);
  }
  std::string_view name() const override { return "AccessesAreDeclared"; }
  std::string_view rule() const override {
    return "Rule 11: Davit asks for nothing outside its access tables, and for no Secret.";
  }

  void saw(World& world, const RequestSeen& request) override {
    const RequestInfo& info = *request.info;
    if (info.resource.empty() || !World::is_davit(info.user)) return;
    if (info.resource == "secrets") return object(world, facts::name_of(info) + " reads a Secret");
    if (declared_.contains({info.verb, info.resource})) return;
    object(world, facts::name_of(info) + " is in no access table");
  }

 private:
  void add(kube::AccessTable table) {
    for (const kube::Access& access : table) {
      std::string resource = access.resource.qualified();
      if (!access.subresource.empty()) resource += fmt::format("/{}", access.subresource);
      for (const std::string_view verb : kube::verb_names(access.verbs)) {
        declared_.emplace(verb, resource);
      }
    }
  }

  std::set<std::pair<std::string, std::string>> declared_;
};

}  // namespace

std::unique_ptr<Judge> accesses_are_declared() { return std::make_unique<AccessesAreDeclared>(); }

}  // namespace davit::sim
