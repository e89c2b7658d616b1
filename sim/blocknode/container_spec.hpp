// ContainerSpec: what a container runtime reads of a pod before it starts a container: command,
// environment, ports, mounts. Read from the stored pod and, for references, from the store.
//
// Pure reads; one thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/operations.hpp"
#include "standin/blocknode/model/settings.hpp"

namespace davit::sim {

struct MountSpec {
  std::string volume;  // name in the pod
  std::string path;
  std::string sub_path;
  bool read_only = false;
};

struct ContainerSpec {
  std::string image;
  std::vector<std::string> command;  // and arguments
  standin::Environment environment;
  std::vector<MountSpec> mounts;
};

// nullopt: the pod has no such container.
[[nodiscard]] std::optional<ContainerSpec> container_spec(const Operations& operations,
                                                          const json::object& pod,
                                                          std::string_view name);
// The container in the pod's spec, init ones too; null: none of that name.
[[nodiscard]] const json::object* find_container(const json::object& pod, std::string_view name);
// A probe's port: a number or the name of one of the container's ports; 0: there is none.
[[nodiscard]] std::uint16_t port_number(const json::object& container, const json::value* port);
// The version an image holds: its tag, if that is one ("…/block-node:0.40.1").
[[nodiscard]] std::optional<std::string> image_version(std::string_view image);

}  // namespace davit::sim
