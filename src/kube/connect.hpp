// connect: a Transport to the cluster that a ClusterConfig names.
//
//   auto transport = connect(loop, *load_config(process_environment()));
//   Client client(*transport, loop);
//
// Opens nothing until the first request. The loop must outlive the transport.
#pragma once

#include <memory>

#include "io/http_transport.hpp"
#include "kube/config.hpp"

namespace davit::kube {

[[nodiscard]] std::unique_ptr<io::Transport> connect(io::AsioLoop& loop, ClusterConfig config,
                                                     std::string user_agent = "davit");

}  // namespace davit::kube
