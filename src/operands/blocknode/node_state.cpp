#include "operands/blocknode/node_state.hpp"

#include <algorithm>

namespace davit::blocknode {

Backoff back_off(const Backoff* before, Error error, Monotonic now) {
  using std::chrono::seconds;
  const int failures = before == nullptr ? 1 : before->failures + 1;
  Duration delay = seconds(1LL << std::min(failures - 1, 9));
  delay = std::min<Duration>(delay, std::chrono::minutes(5));
  if (error.code() == Code::kForbidden) delay = seconds(30);
  if (error.retry_after()) delay = *error.retry_after();
  return {.error = std::move(error), .failures = failures, .next = now + delay};
}

}  // namespace davit::blocknode
