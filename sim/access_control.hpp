// AccessControl: who may do what: RBAC as rules per user. A user without rules may do everything,
// so that tests which are not about permissions need not care.
//
// The rules come from Davit's own access tables, so that a missing row fails in the simulator
// first.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kube/access.hpp"
#include "sim/route.hpp"

namespace davit::sim {

struct AccessRule {
  std::string group, resource;  // "pods", "pods/status"; "*" matches all, in both
  std::vector<std::string> verbs;
  std::string ns;    // empty: everywhere
  std::string name;  // empty: any
};

class AccessControl {
 public:
  void allow(const std::string& user, AccessRule rule) { rules_[user].push_back(std::move(rule)); }
  // What the tables grant, in `ns` (empty: everywhere).
  void allow(const std::string& user, kube::AccessTable table, const std::string& ns = {});
  // The user has rules from now on, and no right yet.
  void restrict(const std::string& user) { rules_[user]; }
  void clear(const std::string& user) { rules_.erase(user); }

  [[nodiscard]] bool allows(const std::string& user, const std::string& verb,
                            const std::string& group, const std::string& resource,
                            const std::string& ns, const std::string& name) const;
  // Of a user without rules: one rule that allows everything.
  [[nodiscard]] std::vector<AccessRule> rules_of(const std::string& user) const;
  // The refusal the server would send, if any.
  [[nodiscard]] std::optional<ApiError> check(const std::string& user, const Route& route) const;

 private:
  std::map<std::string, std::vector<AccessRule>> rules_;
};

}  // namespace davit::sim
