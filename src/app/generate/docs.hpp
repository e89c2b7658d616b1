// The reference pages of docs/reference, as Markdown. Pure; any thread.
#pragma once

#include <string>

namespace davit::app {

[[nodiscard]] std::string block_node_reference();
// The settings of the server, by plugin, from the catalogue.
[[nodiscard]] std::string settings_reference();
// The reasons of conditions and Events, from their table.
[[nodiscard]] std::string reasons_reference();

}  // namespace davit::app
