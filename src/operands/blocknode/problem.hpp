// Problem: one thing about a BlockNode that Davit refuses to carry out. A value; any thread.
#pragma once

#include <string>

namespace davit::blocknode {

struct Problem {
  std::string field;    // "spec.extraConfig[SERVER_PRT]"
  std::string message;  // what was found, what is allowed, what to do; one or more plain sentences

  friend bool operator==(const Problem&, const Problem&) = default;
};

}  // namespace davit::blocknode
