// The contract of a Block Node's outward behaviour: a list of checks, each with its source.
//
// A check throws Miss when the behaviour is not there and Skip when it cannot be seen. Remote
// checks only read, so they may be pointed at a real server; local checks start stand-ins of their
// own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace davit::standin {

struct Target {
  std::string host;
  std::uint16_t grpc = 40840;
  std::uint16_t health = 40983;
  std::uint16_t metrics = 16007;
  std::string publish;  // host:port of each service; by default the shared port
  std::string subscribe;
  std::string access;
  std::string status;
};

struct Miss {
  std::string what;
};
struct Skip {
  std::string why;
};

struct Check {
  const char* name;
  const char* source;  // section of facts/blocknode.md
  std::function<void()> run;
};

// Throws Miss with `what` when `good` is false.
void expect(bool good, const std::string& what);
template <typename A, typename B>
void expect_equal(const A& found, const B& wanted, const std::string& what) {
  if (found == wanted) return;
  if constexpr (requires { std::to_string(found); }) {
    throw Miss{what + ": found " + std::to_string(found) + ", expected " + std::to_string(wanted)};
  } else {
    throw Miss{what + ": found \"" + std::string(found) + "\", expected \"" + std::string(wanted) +
               "\""};
  }
}

std::vector<Check> remote_checks(const Target& target);
std::vector<Check> local_checks(const std::string& program);

}  // namespace davit::standin
