#include "standin/blocknode/contract/steps.hpp"

#include "standin/blocknode/model/chain_check.hpp"

namespace davit::standin {

namespace api = org::hiero::block::api;

std::unique_ptr<Node> ready_node(Lab& lab, const Node::Variables& variables) {
  auto node = lab.fresh();
  node->start(variables);
  node->wait_ready();
  return node;
}

void publish_blocks(Node& node, unsigned count) {
  expect(node.publish(count, std::chrono::seconds(60)),
         "not all of " + std::to_string(count) + " blocks were acknowledged");
}

api::ServerStatusResponse status_of(Node& node) {
  const auto status = node.server_status(node.target().status);
  expect(status.has_value(), "no answer from serverStatus");
  return *status;
}

void verify_blocks(Node& node) {
  const auto status = status_of(node);
  api::SubscribeStreamRequest request;
  request.set_start_block_number(status.first_available_block());
  request.set_end_block_number(status.last_available_block());
  ChainCheck check(status.first_available_block(), 1);
  Block block;
  for (const auto& response : node.subscribe(node.target().subscribe, request)) {
    if (response.has_block_items()) {
      block.mutable_items()->MergeFrom(response.block_items().block_items());
    } else if (response.has_end_of_block()) {
      const std::string wrong = check.take(block, response.end_of_block().block_number());
      expect(wrong.empty(), wrong);
      block.Clear();
    }
  }
  expect_equal(check.next(), status.last_available_block() + 1, "verified blocks");
}

void stop(Node& node) {
  node.terminate();
  const auto code = node.wait_exit(std::chrono::seconds(1));
  expect(code.has_value(), "still there a second after SIGTERM");
  expect_equal(*code, 143, "exit code");
}

bool has_logged(Node& node, const std::string& text) {
  return node.log().find(text) != std::string::npos;
}

}  // namespace davit::standin
