#include "base/names.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

auto compare(std::string a, std::string b) {
  return compare_resource_versions(ResourceVersion(std::move(a)), ResourceVersion(std::move(b)));
}

TEST(ResourceVersion, DecimalNumbersOfAnyLengthAreOrdered) {
  EXPECT_EQ(compare("9", "10"), std::strong_ordering::less);
  EXPECT_EQ(compare("10", "10"), std::strong_ordering::equal);
  EXPECT_EQ(
      compare("340282366920938463463374607431768211457", "340282366920938463463374607431768211456"),
      std::strong_ordering::greater);
}

TEST(ResourceVersion, AnythingElseIsNotComparable) {
  EXPECT_EQ(compare("abc", "10"), std::nullopt);
  EXPECT_EQ(compare("010", "10"), std::nullopt);
  EXPECT_EQ(compare("", "10"), std::nullopt);
  EXPECT_EQ(compare("-1", "10"), std::nullopt);
}

TEST(ObjectKey, ClusterScopedObjectsHaveNoSlash) {
  EXPECT_EQ((ObjectKey{"", "node"}.to_string()), "node");
  EXPECT_EQ((ObjectKey{"ns", "pod"}.to_string()), "ns/pod");
}

}  // namespace
}  // namespace davit
