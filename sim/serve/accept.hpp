// Content negotiation as the API server does it: which form of an answer a client asked for.
//
//   const auto form = choose_form("application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
//
// The first form of the list that is served wins; quality values are ignored, as kubectl's order
// already says what it likes best. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::sim {

struct MediaType {
  std::string type;                               // "application/json", in lower case
  std::map<std::string, std::string> parameters;  // "as", "v", "g", …

  [[nodiscard]] std::string_view parameter(const std::string& name) const;
};

[[nodiscard]] std::vector<MediaType> parse_accept(std::string_view header);

enum class Form {
  kObject,    // as stored
  kTable,     // meta.k8s.io Table
  kMetadata,  // meta.k8s.io PartialObjectMetadata, or its list
};
// nullopt: nothing of what is accepted is served (406).
[[nodiscard]] std::optional<Form> choose_form(std::string_view accept);
// Of /api and /apis: the list of everything is asked for (apidiscovery.k8s.io/v2).
[[nodiscard]] bool wants_aggregated_discovery(std::string_view accept);

}  // namespace davit::sim
