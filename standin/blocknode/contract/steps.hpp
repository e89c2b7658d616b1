// Steps that several checks take with a node of their own.
#pragma once

#include <memory>
#include <string>

#include "standin/blocknode/contract/contract.hpp"
#include "standin/blocknode/model/types.hpp"

namespace davit::standin {

[[nodiscard]] std::unique_ptr<Node> ready_node(Lab& lab, const Node::Variables& variables = {});
void publish_blocks(Node& node, unsigned count);
[[nodiscard]] org::hiero::block::api::ServerStatusResponse status_of(Node& node);
// Every block from the first to the last, with its links and proofs.
void verify_blocks(Node& node);
// SIGTERM, and the exit code that follows within a second.
void stop(Node& node);
[[nodiscard]] bool has_logged(Node& node, const std::string& text);

}  // namespace davit::standin
