#include "standin/blocknode/contract/contract.hpp"

namespace davit::standin {

void Node::wait_ready() {
  for (int i = 0; i < 200; ++i) {
    if (http(target().health, "/healthz/readyz").status == 200) return;
    wait(std::chrono::milliseconds(50));
  }
  throw Miss{"the node did not become ready: " + log()};
}

std::optional<int> Node::wait_exit(std::chrono::milliseconds patience) {
  constexpr auto kStep = std::chrono::milliseconds(10);
  for (auto waited = std::chrono::milliseconds(0);; waited += kStep) {
    if (const auto code = exit_code()) return code;
    if (waited >= patience) return std::nullopt;
    wait(kStep);
  }
}

}  // namespace davit::standin
