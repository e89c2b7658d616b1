// The builders against golden files: golden/<case>.json. DAVIT_UPDATE_GOLDEN=1 rewrites them.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "operands/blocknode/digest.hpp"
#include "operands/blocknode/pod_volumes.hpp"
#include "operands/blocknode/test_nodes.hpp"

namespace davit::blocknode {
namespace {

using namespace testing;  // NOLINT
using ::testing::HasSubstr;

std::string read(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void expect_golden(const std::string& name, const json::object& object) {
  const std::string path =
      std::string(DAVIT_SOURCE_DIR) + "/src/operands/blocknode/golden/" + name + ".json";
  const std::string text = wire::pretty(object);
  if (std::getenv("DAVIT_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  EXPECT_EQ(text, read(path)) << "golden/" << name << ".json differs";
}

BlockNode full_node() {
  BlockNode node = sample_node("bn2");
  node.spec.exposure.type = "LoadBalancer";
  node.spec.exposure.ports = "Split";
  node.spec.exposure.annotations = {{"metallb.io/address-pool", "public"}};
  node.spec.disruption_group = "mainnet-tier1";
  node.spec.policies.deletion = "Delete";
  node.spec.storage.live.storage_class_name = "nvme";
  node.spec.storage.historic = {};
  node.spec.storage.historic.existing_claim = "archive";
  node.spec.storage.plugins = {};
  node.spec.extra_config = {{"FILES_RECENT_BLOCK_RETENTION_THRESHOLD", "1000"},
                            {"JAVA_TOOL_OPTIONS", "-Dx=y"}};
  node.spec.image.emplace();
  node.spec.image->repository = "other.example/bn";
  node.spec.image->digest = "sha256:0123";
  node.spec.image->pull_policy = "Always";
  node.spec.image->pull_secrets = {"registry"};
  return node;
}

TEST(Build, SampleNode) {
  const BlockNode node = sample_node();
  const BuildInput in = sample_input(node);
  expect_golden("sample-configmap", build_configmap(in));
  expect_golden("sample-files", build_files(in));
  expect_golden("sample-serviceaccount", build_serviceaccount(in));
  expect_golden("sample-service", build_client_service(in));
  expect_golden("sample-headless", build_headless_service(in));
  expect_golden("sample-statefulset", build_statefulset(in));
  expect_golden("sample-claim", build_claim(node, kVolumes[0]));
}

TEST(Build, NodeWithEveryField) {
  const BlockNode node = full_node();
  const BuildInput in = sample_input(node);
  expect_golden("full-configmap", build_configmap(in));
  expect_golden("full-service", build_client_service(in));
  expect_golden("full-headless", build_headless_service(in));
  expect_golden("full-statefulset", build_statefulset(in));
  expect_golden("full-claim", build_claim(node, kVolumes[0]));
}

TEST(Build, BudgetIsSharedByTheGroupAndControlledByNone) {
  const Member a{{"hiero", "bn1"}, Uid("u1"), "solo-tier1", false};
  const Member b{{"hiero", "bn2"}, Uid("u2"), "solo-tier1", false};
  expect_golden("budget", build_disruption_budget({b, a}));
  EXPECT_EQ(build_disruption_budget({b, a}), build_disruption_budget({a, b}));
}

TEST(Build, BudgetWithAnOrphanedMemberHasNoOwner) {
  const Member orphan{{"hiero", "bn1"}, Uid("u1"), "g", true};
  const json::object budget = build_disruption_budget({orphan});
  EXPECT_EQ(wire::find(budget, "metadata.ownerReferences"), nullptr);
}

TEST(Build, OrphanPolicyLeavesChildrenWithoutOwner) {
  BlockNode node = sample_node();
  node.spec.policies.deletion = "Orphan";
  const BuildInput in = sample_input(node);
  EXPECT_EQ(wire::find(build_statefulset(in), "metadata.ownerReferences"), nullptr);
  EXPECT_EQ(wire::find(build_client_service(in), "metadata.ownerReferences"), nullptr);
}

TEST(Build, SameSpecGivesSameTemplateAndAChangeAnother) {
  BlockNode node = sample_node();
  const auto digest_of = [](const BlockNode& n) {
    return std::string(
        wire::find_object(build_statefulset(sample_input(n)), "spec.template.metadata.annotations")
            ->at(kTemplateAnnotation)
            .as_string());
  };
  const std::string before = digest_of(node);
  EXPECT_EQ(before, digest_of(node));
  node.spec.extra_config["SERVER_BACKLOG_SIZE"] = "128";
  EXPECT_NE(before, digest_of(node));
}

TEST(Build, DeletionPolicyDoesNotChangeTheTemplate) {
  BlockNode node = sample_node();
  const auto spec_of = [](const BlockNode& n) {
    return wire::canonical(build_statefulset(sample_input(n))["spec"]);
  };
  const std::string before = spec_of(node);
  node.spec.policies.deletion = "Orphan";
  EXPECT_EQ(before, spec_of(node));
}

TEST(Build, ImageIsDigestThenTagThenVersion) {
  BlockNodeSpec spec;
  spec.version = "0.40.1";
  EXPECT_EQ(server_image(spec, "r/bn"), "r/bn:0.40.1");
  spec.image.emplace();
  EXPECT_EQ(server_image(spec, "r/bn"), "r/bn:0.40.1");
  spec.image->tag = "edge";
  EXPECT_EQ(server_image(spec, "r/bn"), "r/bn:edge");
  spec.image->digest = "sha256:1";
  EXPECT_EQ(server_image(spec, "r/bn"), "r/bn@sha256:1");
  spec.image->repository = "x/y";
  EXPECT_EQ(server_image(spec, "r/bn"), "x/y@sha256:1");
}

TEST(Build, DavitOwnedSettingsWinOverExtraConfig) {
  BlockNode node = sample_node();
  node.spec.extra_config = {{"SERVER_PORT", "1"}, {"VERSION", "9"}};
  const json::object map = build_configmap(sample_input(node));
  EXPECT_EQ(wire::find_string(map, "data.SERVER_PORT"), "40840");
  EXPECT_EQ(wire::find_string(map, "data.VERSION"), "0.40.1");
}

TEST(Digest, IsSha256) {
  EXPECT_EQ(digest("abc", 8), "ba7816bf");
  EXPECT_EQ(digest("", 100).size(), 64U);
}

TEST(Names, LabelValuesAreValidAndDistinct) {
  EXPECT_EQ(as_label_value("solo-tier1"), "solo-tier1");
  EXPECT_NE(as_label_value("a b"), as_label_value("a-b"));
  EXPECT_LE(as_label_value(std::string(200, 'x')).size(), 63U);
  EXPECT_THAT(as_label_value("*weird*"), HasSubstr("weird"));
  EXPECT_FALSE(as_label_value("***").empty());
}

TEST(Names, GroupDefaultsToNetworkAndTier) {
  BlockNodeSpec spec;
  spec.network.name = "mainnet";
  EXPECT_EQ(disruption_group(spec), "mainnet-tier1");
  spec.disruption_group = "mine";
  EXPECT_EQ(disruption_group(spec), "mine");
}

TEST(Names, BudgetNameIsADnsName) {
  EXPECT_EQ(disruption_budget_name("mainnet-tier1"), "davit-mainnet-tier1");
  EXPECT_NE(disruption_budget_name("Main_net"), disruption_budget_name("main-net"));
}

TEST(Names, NamesThatCannotCarryChildrenAreProblems) {
  EXPECT_FALSE(name_problem({"ns", "bn1"}));
  EXPECT_TRUE(name_problem({"ns", "1bn"}));
  EXPECT_TRUE(name_problem({"ns", "b.n"}));
  EXPECT_TRUE(name_problem({"ns", std::string(53, 'a')}));
  EXPECT_FALSE(name_problem({"ns", std::string(52, 'a')}));
}

}  // namespace
}  // namespace davit::blocknode
