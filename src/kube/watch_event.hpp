// The lines of a watch and the pages of a list, read through a Projection.
//
//   auto event = parse_watch_line(line, projection, reader);
//
// An ERROR event, a Status, is the Error it says: kGone (410: list again) above all. A line that is
// no event is kInvalid. One thread per reader.
#pragma once

#include <string_view>

#include "kube/client.hpp"
#include "wire/projection.hpp"

namespace davit::kube {

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark };
  Type type = Type::kAdded;
  json::object object;  // of a bookmark: metadata.resourceVersion, annotations, nothing else
};

// "ADDED", …
[[nodiscard]] std::string_view to_string(WatchEvent::Type type);

[[nodiscard]] Result<WatchEvent> parse_watch_line(std::string_view line,
                                                  const wire::Projection& projection,
                                                  wire::ProjectionReader& reader);
// As above, with a reader for this one line.
[[nodiscard]] Result<WatchEvent> parse_watch_line(std::string_view line,
                                                  const wire::Projection& projection);

// A list's body; apiVersion and kind are filled into the items.
[[nodiscard]] Result<List> parse_list(std::string_view body, const Resource& resource,
                                      const wire::Projection& projection,
                                      wire::ProjectionReader& reader);

}  // namespace davit::kube
