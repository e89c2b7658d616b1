#include "operands/blocknode/validation.hpp"

#include <fmt/format.h>

#include "operands/blocknode/pod_volumes.hpp"
#include "operands/blocknode/settings.hpp"
#include "wire/quantity.hpp"

namespace davit::blocknode {

namespace {

void check_quantities(const std::map<std::string, std::string>& resources, std::string_view field,
                      Problems& problems) {
  for (const auto& [name, text] : resources) {
    if (wire::Quantity::parse(text)) continue;
    problems.push_back({fmt::format("{}[{}]", field, name),
                        fmt::format("\"{}\" is not a quantity; write for example 500m or 2 for "
                                    "cpu, 2Gi for memory",
                                    text)});
  }
}

}  // namespace

void check_version(const BlockNodeSpec& spec, Problems& problems) {
  if (ServerVersion::parse(spec.version)) return;
  problems.push_back(
      {"spec.version", fmt::format("\"{}\" is not a version; give three numbers, such "
                                   "as 0.40.1",
                                   spec.version)});
}

void check_storage(const BlockNodeSpec& spec, Problems& problems) {
  for (const VolumeLayout& layout : kVolumes) {
    const VolumeSpec& volume = volume_spec(spec.storage, layout.key);
    const std::string field = fmt::format("spec.storage.{}", layout.key);
    if (volume.size && volume.existing_claim) {
      problems.push_back({field, fmt::format("has both size ({}) and existingClaim ({}); keep size "
                                             "to let Davit make the claim, or existingClaim to use "
                                             "one that is there",
                                             *volume.size, *volume.existing_claim)});
    } else if (!volume.size && !volume.existing_claim && layout.key != "plugins") {
      problems.push_back({field, "has neither size nor existingClaim; give one of the two"});
    }
    if (!volume.size) continue;
    const auto size = wire::Quantity::parse(*volume.size);
    if (!size || size->value() <= 0) {
      problems.push_back(
          {field + ".size", fmt::format("\"{}\" is not a size; give a quantity above "
                                        "zero, such as 500Gi or 6Ti",
                                        *volume.size)});
    }
  }
}

void check_resources(const BlockNodeSpec& spec, Problems& problems) {
  check_quantities(spec.resources.requests, "spec.resources.requests", problems);
  check_quantities(spec.resources.limits, "spec.resources.limits", problems);
  for (const auto& [name, text] : spec.resources.requests) {
    const auto limit = spec.resources.limits.find(name);
    if (limit == spec.resources.limits.end()) continue;
    const auto wanted = wire::Quantity::parse(text);
    const auto most = wire::Quantity::parse(limit->second);
    if (!wanted || !most || *wanted <= *most) continue;
    problems.push_back({fmt::format("spec.resources.requests[{}]", name),
                        fmt::format("{} is more than the limit of {}; lower the request, or raise "
                                    "spec.resources.limits[{}]",
                                    text, limit->second, name)});
  }
}

std::vector<Problem> validate(const BlockNode& node) {
  const BlockNodeSpec& spec = node.spec;
  Problems problems;
  check_version(spec, problems);
  check_storage(spec, problems);
  check_resources(spec, problems);
  for (Problem& problem : check_settings(spec.extra_config, spec.version)) {
    problems.push_back(std::move(problem));
  }
  check_owned_settings(spec, problems);
  check_java_options(spec, problems);
  check_memory(spec, problems);
  return problems;
}

}  // namespace davit::blocknode
