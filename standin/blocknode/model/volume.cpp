#include "standin/blocknode/model/volume.hpp"

namespace davit::standin {

void clear_directory(Volume& volume, const std::string& path) {
  const auto entries = volume.list(path);
  if (!entries) return;
  for (const Volume::Entry& entry : *entries) {
    const std::string child = path + "/" + entry.name;
    if (entry.is_directory) clear_directory(volume, child);
    (void)volume.remove(child);
  }
}

}  // namespace davit::standin
