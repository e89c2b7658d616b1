// The three places the contract is held to.
#pragma once

#include "standin/blocknode/contract/contract.hpp"

namespace davit::standin {

[[nodiscard]] std::unique_ptr<Lab> running_server(const Target& target);
// `program`: blocknode-standin.
[[nodiscard]] std::unique_ptr<Lab> standin_processes(const std::string& program);
[[nodiscard]] std::unique_ptr<Lab> simulated_pods();

}  // namespace davit::standin
