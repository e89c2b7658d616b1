// Builds the Event object; pure. The limits are those of the API server's validation of
// events.k8s.io/v1.
#pragma once

#include "kube/events.hpp"

namespace davit::kube {

struct EventText {
  EventType type = EventType::kNormal;
  std::string reason;
  std::string action;
  std::string note;
};

// `suffix` makes the name unique. The event lives in the object's namespace, "default" for
// cluster-scoped objects.
[[nodiscard]] json::object make_event(const json::object& regarding, const EventText& text,
                                      const EventOptions& options, std::string_view suffix,
                                      WallTime now);
// A merge patch for a repeated event.
[[nodiscard]] json::object make_series_patch(std::int64_t count, WallTime last_seen);

[[nodiscard]] std::string_view to_string(EventType type);

}  // namespace davit::kube
