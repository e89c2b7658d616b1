// Kinds: the kinds the differential suite tries, with samples, from test/conformance/kinds.yaml.
//
//   configmaps:
//     base: {apiVersion: v1, kind: ConfigMap, data: {a: one}}   # accepted as it is
//     edits: [{data: {a: two}}, …]    # merge patches that are accepted
//     wrong: [{data: {"a b": x}}, …]  # merge patches that are refused
//
// A name of a cluster-scoped kind is prefixed with the script's namespace, so that scripts do not
// meet. Pure values; kInvalid names the file and what is wrong with it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "wire/json.hpp"

namespace davit::sim::differential {

struct Kind {
  std::string resource;  // the plural
  json::object base;
  std::vector<json::object> edits, wrong;
  std::vector<json::object> statuses;  // merge patches of the status subresource
  bool cluster = false;
  bool random = false;  // random scripts use it
  bool has_status = false;

  [[nodiscard]] std::string qualified() const;  // "statefulsets.apps", as conformance.yaml writes
  // "/apis/apps/v1/namespaces/NS/statefulsets"
  [[nodiscard]] std::string collection(const std::string& ns) const;
  [[nodiscard]] std::string name(const std::string& ns, const std::string& name) const {
    return cluster ? ns + "-" + name : name;
  }
  // apiVersion, kind and metadata.name only; what an apply begins with.
  [[nodiscard]] json::object bare(const std::string& name) const;
  [[nodiscard]] json::object sample(const std::string& name) const;
};

using Kinds = std::map<std::string, Kind>;

[[nodiscard]] Result<Kinds> load_kinds(const std::string& file);
// The one YAML document of `file`.
[[nodiscard]] Result<json::value> load_yaml(const std::string& file);

}  // namespace davit::sim::differential
