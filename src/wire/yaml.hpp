// YAML as kubectl reads it, to JSON values and back.
//
//   Result<std::vector<json::value>> documents = parse_yaml(text);   // empty documents left out
//   std::string text = to_yaml(object);
//
// Plain scalars are typed as sigs.k8s.io/yaml (YAML 1.1) does: yes/no/on/off/y/n are booleans, 010
// is octal, 0x1F and 1_000 are integers; quoted scalars and timestamps are strings. Merge keys (<<)
// and anchors work; a document may expand to 500,000 values, 64 levels deep. Doubled keys, unknown
// tags, .inf and .nan, control characters and invalid UTF-8 are kInvalid, with the line where it is
// known.
//
// The writer quotes whatever a YAML 1.1 or 1.2 reader might take for something else, keeps the
// order of the members, and writes text of several lines as a block. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/json.hpp"

namespace davit::wire {

[[nodiscard]] Result<std::vector<json::value>> parse_yaml(std::string_view text);

// Ends with a newline.
[[nodiscard]] std::string to_yaml(const json::value& value);
// Several documents, "---" before each but the first.
[[nodiscard]] std::string to_yaml_documents(const std::vector<json::value>& documents);

}  // namespace davit::wire
