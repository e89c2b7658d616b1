// What every part of one model shares. Lives in NodeModel; the parts hold a reference.
#pragma once

#include "standin/blocknode/model/faults.hpp"
#include "standin/blocknode/model/metrics.hpp"
#include "standin/blocknode/model/outputs.hpp"
#include "standin/blocknode/model/settings.hpp"
#include "standin/blocknode/model/volume.hpp"

namespace davit::standin {

struct ModelContext {
  ModelContext(Settings settings_in, Volume& volume_in)
      : settings(std::move(settings_in)), volume(volume_in) {}

  Settings settings;
  Volume& volume;
  Faults faults;
  Metrics metrics;
  Outputs outputs;
};

}  // namespace davit::standin
