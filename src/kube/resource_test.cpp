#include "kube/resource.hpp"

#include <gtest/gtest.h>

namespace davit::kube {
namespace {

TEST(Resource, Names) {
  EXPECT_EQ(kPods.api_version(), "v1");
  EXPECT_EQ(kStatefulSets.api_version(), "apps/v1");
  EXPECT_EQ(kPods.qualified(), "pods");
  EXPECT_EQ(kStatefulSets.qualified(), "statefulsets.apps");
}

TEST(Resource, AccessorsReadWhatIsThereAndElseNothing) {
  const json::object object = wire::parse_json_object(R"({"metadata":{"name":"a","namespace":"n",
    "uid":"u","resourceVersion":"7","generation":3,"deletionTimestamp":"2026-01-01T00:00:00Z",
    "ownerReferences":[{"uid":"x"},5,{"uid":"y","controller":true}]}})")
                                  .value();
  EXPECT_EQ(key_of(object), (ObjectKey{"n", "a"}));
  EXPECT_EQ(uid_of(object), Uid("u"));
  EXPECT_EQ(version_of(object), ResourceVersion("7"));
  EXPECT_EQ(generation_of(object), 3);
  EXPECT_TRUE(is_deleting(object));
  EXPECT_EQ(controller_of(object), Uid("y"));
  for (const std::string_view text : {"{}", R"({"metadata":null})", R"({"metadata":{"name":5,
      "ownerReferences":{},"generation":"x","deletionTimestamp":null}})"}) {
    const json::object odd = wire::parse_json_object(text).value();
    EXPECT_EQ(key_of(odd), ObjectKey());
    EXPECT_EQ(generation_of(odd), 0);
    EXPECT_FALSE(is_deleting(odd));
    EXPECT_TRUE(controller_of(odd).empty());
  }
}

}  // namespace
}  // namespace davit::kube
