// What is installed beside the server, as the start of a process finds it. Pure.
#pragma once

#include <string>
#include <vector>

#include "standin/blocknode/model/node_model.hpp"

namespace davit::standin {

// Plugins are the jars in app-<version>/plugins, when there are any: "health-0.40.1.jar". An image
// of the stand-in has none and loads the usual set. Jars of unknown plugins are not loaded.
std::vector<std::string> installed_plugins(const Settings& settings, const Volume& volume);

// STANDIN_SCAN_MILLIS: how long an ordinary scan takes.
StartTiming timing_from(const Environment& environment);

}  // namespace davit::standin
