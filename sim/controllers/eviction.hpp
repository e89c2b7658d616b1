// The eviction of a pod: what the API server does for POST …/pods/{name}/eviction, on the store
// (pkg/registry/core/pod/storage/eviction.go): the budget is asked and charged, the pod gets the
// condition DisruptionTarget, and is deleted.
//
//   const auto evicted = evict(operations, {"hiero", "bn1-0"}, options);
//   if (!evicted) reply(evicted.error());   // 429 TooManyRequests: the budget refuses
//
// Refuses with 404, 409 (preconditions), 429 (budget, retryAfterSeconds 10 for a budget that is
// still being processed), 500 (more than one budget). One thread.
#pragma once

#include "sim/operations.hpp"

namespace davit::sim {

// The pod as it is afterwards; the reply of the API server is a Status "Success".
Answer<Object> evict(Operations& operations, const ObjectKey& pod, const DeleteOptions& options);

}  // namespace davit::sim
