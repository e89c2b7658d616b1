// A watch whose events are changed on their way: made into tables, converted, or left out.
//
// Reads whole lines from the inner stream, however they are cut. BOOKMARK and ERROR events are
// given to `change` too. On the inner stream's loop and thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/http.hpp"
#include "wire/json.hpp"

namespace davit::sim {

// nullopt: the client does not see the event.
using EventChange =
    std::function<std::optional<json::object>(std::string_view type, json::object object)>;

[[nodiscard]] std::unique_ptr<io::BodyStream> change_events(std::unique_ptr<io::BodyStream> inner,
                                                            EventChange change);

}  // namespace davit::sim
