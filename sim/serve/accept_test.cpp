#include "sim/serve/accept.hpp"

#include <gtest/gtest.h>

namespace davit::sim {
namespace {

TEST(Accept, KubectlGetsATable) {
  EXPECT_EQ(choose_form("application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;"
                        "v=v1beta1;g=meta.k8s.io,application/json"),
            Form::kTable);
}

TEST(Accept, NothingOrAnythingIsTheObject) {
  EXPECT_EQ(choose_form(""), Form::kObject);
  EXPECT_EQ(choose_form("*/*"), Form::kObject);
  EXPECT_EQ(choose_form("application/vnd.kubernetes.protobuf, application/json"), Form::kObject);
}

TEST(Accept, AFormNobodyServesIsPassedOver) {
  EXPECT_EQ(choose_form("application/json;as=Table;v=v9;g=meta.k8s.io,application/json"),
            Form::kObject);
  EXPECT_EQ(choose_form("application/json;as=Table;v=v9;g=meta.k8s.io"), std::nullopt);
  EXPECT_EQ(choose_form("application/vnd.kubernetes.protobuf"), std::nullopt);
}

TEST(Accept, MetadataOfOneAndOfMany) {
  EXPECT_EQ(choose_form("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"),
            Form::kMetadata);
  EXPECT_EQ(choose_form("application/json; as=PartialObjectMetadataList; g=meta.k8s.io; v=v1"),
            Form::kMetadata);
}

TEST(Accept, AggregatedDiscoveryMustBeAskedFor) {
  EXPECT_TRUE(wants_aggregated_discovery(
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"));
  EXPECT_FALSE(wants_aggregated_discovery("application/json"));
  EXPECT_FALSE(wants_aggregated_discovery(
      "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"));
}

}  // namespace
}  // namespace davit::sim
