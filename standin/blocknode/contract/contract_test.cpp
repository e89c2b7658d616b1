// The contract, held by the simulator's pods: one case per check.
#include <gtest/gtest.h>

#include <cctype>

#include "standin/blocknode/contract/labs.hpp"

namespace davit::standin {
namespace {

class SimulatedContract : public testing::TestWithParam<Check> {};

TEST_P(SimulatedContract, IsKept) {
  const auto lab = simulated_pods();
  try {
    GetParam().run(*lab);
  } catch (const Miss& miss) {
    FAIL() << GetParam().name << ": " << miss.what;
  } catch (const Skip& skip) {
    GTEST_SKIP() << skip.why;
  }
}

std::string camel(std::string_view words) {
  std::string out;
  bool first = true;
  for (const char c : words) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) == 0) {
      first = true;
      continue;
    }
    out += first ? static_cast<char>(std::toupper(letter)) : c;
    first = false;
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Checks, SimulatedContract, testing::ValuesIn(checks()),
                         [](const auto& check) { return camel(check.param.name); });

}  // namespace
}  // namespace davit::standin
