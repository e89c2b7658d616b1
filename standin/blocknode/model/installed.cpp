#include "standin/blocknode/model/installed.hpp"

#include <algorithm>
#include <cstdlib>

namespace davit::standin {

std::vector<std::string> installed_plugins(const Settings& settings, const Volume& volume) {
  const std::vector<std::string> usual = default_plugins();
  const auto entries =
      volume.list(settings.base_dir() + "/app-" + settings.version().text() + "/plugins");
  if (!entries) return usual;
  bool any_jar = false;
  std::vector<std::string> out;
  for (const Volume::Entry& entry : *entries) {
    if (!entry.name.ends_with(".jar")) continue;
    any_jar = true;
    std::string name = entry.name.substr(0, entry.name.find_first_of("0123456789"));
    while (name.ends_with('-')) name.pop_back();
    if (std::ranges::find(usual, name) != usual.end()) out.push_back(name);
  }
  return any_jar ? out : usual;
}

StartTiming timing_from(const Environment& environment) {
  StartTiming out;
  if (const auto set = environment.find("STANDIN_SCAN_MILLIS"); set != environment.end()) {
    out.scan = std::chrono::milliseconds(std::strtol(set->second.c_str(), nullptr, 10));
  }
  return out;
}

}  // namespace davit::standin
