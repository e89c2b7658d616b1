// Verdict: one condition's status, reason and sentence. What the judges (serving, storage, ingest)
// return.
#pragma once

#include <string>

#include "operands/blocknode/reasons.hpp"

namespace davit::blocknode {

struct Verdict {
  std::string_view status;  // "True", "False", "Unknown"
  const Reason* reason = nullptr;
  std::string message;  // a sentence: what, where, what to do; no number that moves by itself

  [[nodiscard]] bool is_true() const { return status == "True"; }
};

[[nodiscard]] inline Verdict yes(const Reason& reason, std::string message) {
  return {"True", &reason, std::move(message)};
}
[[nodiscard]] inline Verdict no(const Reason& reason, std::string message) {
  return {"False", &reason, std::move(message)};
}
[[nodiscard]] inline Verdict unknown(const Reason& reason, std::string message) {
  return {"Unknown", &reason, std::move(message)};
}

}  // namespace davit::blocknode
