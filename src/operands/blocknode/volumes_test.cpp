#include "operands/blocknode/volumes.hpp"

#include <gmock/gmock.h>

#include "operands/blocknode/test_nodes.hpp"

namespace davit::blocknode {
namespace {

using namespace testing;  // NOLINT
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const VolumeLayout& kLive = kVolumes[0];

Claim look_at_live(const BlockNode& node, json::object live) {
  const runtime::Object object = shared(std::move(live));
  return look_at_claims(node, [&](const std::string& name) {
    return name == kube::key_of(*object).name ? object : nullptr;
  })[0];
}

TEST(Volumes, AbsentClaimsAreCreatedAndAMissingExistingClaimIsNot) {
  BlockNode node = sample_node();
  node.spec.storage.historic = {};
  node.spec.storage.historic.existing_claim = "archive";
  const auto claims = look_at_claims(node, [](const std::string&) { return nullptr; });
  EXPECT_EQ(claims[0].state, ClaimState::kAbsent);
  EXPECT_EQ(claims[1].state, ClaimState::kMissing);
  EXPECT_EQ(claims[1].name, "archive");
}

TEST(Volumes, BoundClaimNeedsNothing) {
  const BlockNode node = sample_node();
  const json::object live = bound_claim(node, kLive);
  const Claim claim = look_at_live(node, live);
  EXPECT_EQ(claim.state, ClaimState::kBound);
  EXPECT_TRUE(claim_change(node, claim, live).patch.empty());
}

TEST(Volumes, LargerSizeGrowsByPatchOfTheRequestOverTheVersionRead) {
  BlockNode node = sample_node();
  const json::object live = bound_claim(node, kLive);
  node.spec.storage.live.size = "6Gi";
  const ClaimChange change = claim_change(node, look_at_live(node, live), live);
  EXPECT_TRUE(change.grows);
  EXPECT_EQ(wire::find_string(change.patch, "spec.resources.requests.storage"), "6Gi");
  EXPECT_EQ(wire::find_string(change.patch, "metadata.resourceVersion"), "7");
}

TEST(Volumes, SameSizeInOtherWordsIsNoChange) {
  BlockNode node = sample_node();
  const json::object live = bound_claim(node, kLive);
  node.spec.storage.live.size = "5120Mi";
  EXPECT_TRUE(claim_change(node, look_at_live(node, live), live).patch.empty());
}

TEST(Volumes, SmallerSizeIsAProblemAndNeverAPatch) {
  BlockNode node = sample_node();
  const json::object live = bound_claim(node, kLive);
  node.spec.storage.live.size = "4Gi";
  const Claim claim = look_at_live(node, live);
  EXPECT_TRUE(claim_change(node, claim, live).patch.empty());
  const auto problems = claim_problems(node, {claim});
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].field, "spec.storage.live.size");
  EXPECT_THAT(problems[0].message, HasSubstr("never shrunk"));
}

TEST(Volumes, PendingClaimIsNotResized) {
  BlockNode node = sample_node();
  json::object live = bound_claim(node, kLive);
  live["status"].as_object()["phase"] = "Pending";
  node.spec.storage.live.size = "6Gi";
  EXPECT_TRUE(claim_change(node, look_at_live(node, live), live).patch.empty());
}

TEST(Volumes, AnotherClassIsAProblemAnOmittedOneIsNot) {
  BlockNode node = sample_node();
  json::object live = bound_claim(node, kLive);
  live["spec"].as_object()["storageClassName"] = "standard";
  EXPECT_THAT(claim_problems(node, {look_at_live(node, live)}), IsEmpty());
  node.spec.storage.live.storage_class_name = "fast";
  EXPECT_EQ(claim_problems(node, {look_at_live(node, live)}).size(), 1U);
}

TEST(Volumes, ClaimOfSomebodyElseIsForeignAndLeftAlone) {
  const BlockNode node = sample_node();
  for (const auto& [label, value] :
       std::map<std::string, std::string>{{std::string(kManagedByLabel), "helm"},
                                          {std::string(kNodeLabel), "other"},
                                          {std::string(kVolumeLabel), "historic"}}) {
    json::object live = bound_claim(node, kLive);
    live["metadata"].as_object()["labels"].as_object()[label] = value;
    const Claim claim = look_at_live(node, live);
    EXPECT_EQ(claim.state, ClaimState::kForeign) << label;
    EXPECT_FALSE(claim.note.empty());
    EXPECT_TRUE(claim_change(node, claim, live).patch.empty());
  }
}

TEST(Volumes, ClaimOfAnotherNetworkIsForeign) {
  BlockNode node = sample_node();
  const json::object live = bound_claim(node, kLive);
  node.spec.network.name = "mainnet";
  const Claim claim = look_at_live(node, live);
  EXPECT_EQ(claim.state, ClaimState::kForeign);
  EXPECT_THAT(claim.note, HasSubstr("solo"));
}

TEST(Volumes, RetainedClaimOfAnEarlierNodeIsAdoptedAsIs) {
  const BlockNode earlier = sample_node();
  const json::object live = bound_claim(earlier, kLive);
  BlockNode later = sample_node();
  later.uid = Uid("another");
  const Claim claim = look_at_live(later, live);
  EXPECT_EQ(claim.state, ClaimState::kBound);
  EXPECT_TRUE(claim_change(later, claim, live).patch.empty());
}

TEST(Volumes, DeletePolicySetsTheOwnerAndRetainTakesItAway) {
  BlockNode node = sample_node();
  const json::object retained = bound_claim(node, kLive);
  node.spec.policies.deletion = "Delete";
  ClaimChange change = claim_change(node, look_at_live(node, retained), retained);
  ASSERT_NE(wire::find_array(change.patch, "metadata.ownerReferences"), nullptr);
  EXPECT_EQ(wire::find_array(change.patch, "metadata.ownerReferences")->size(), 1U);

  const json::object owned = bound_claim(node, kLive);
  node.spec.policies.deletion = "Retain";
  change = claim_change(node, look_at_live(node, owned), owned);
  ASSERT_NE(wire::find_array(change.patch, "metadata.ownerReferences"), nullptr);
  EXPECT_TRUE(wire::find_array(change.patch, "metadata.ownerReferences")->empty());
}

TEST(Volumes, OnlyClaimsUnderDeletePolicyHaveAnOwner) {
  BlockNode node = sample_node();
  EXPECT_EQ(wire::find(build_claim(node, kLive), "metadata.ownerReferences"), nullptr);
  node.spec.policies.deletion = "Delete";
  EXPECT_NE(wire::find(build_claim(node, kLive), "metadata.ownerReferences"), nullptr);
}

TEST(Volumes, PlanCreatesClaimsBeforeTheStatefulSet) {
  Healthy healthy;
  healthy.snapshot.live_claims.clear();
  healthy.refresh_claims();
  healthy.snapshot.statefulset = nullptr;
  healthy.snapshot.pod = nullptr;
  const auto actions = described(healthy.plan());
  const auto claim = std::ranges::find(actions, "create persistentvolumeclaims/bn1-live");
  const auto set = std::ranges::find(actions, "apply statefulsets/bn1");
  EXPECT_TRUE(claim != actions.end() && set != actions.end() && claim < set);
}

TEST(Volumes, ForeignClaimKeepsANewNodeFromStarting) {
  Healthy healthy;
  healthy.snapshot.statefulset = nullptr;
  healthy.snapshot.pod = nullptr;
  json::object live = bound_claim(healthy.snapshot.node, kLive);
  live["metadata"].as_object()["labels"].as_object()[kManagedByLabel] = "helm";
  healthy.put_claim(std::move(live));
  EXPECT_THAT(described(healthy.plan()), Not(Contains("apply statefulsets/bn1")));
  EXPECT_EQ(condition(healthy.update(), "Ready").reason, "ClaimForeign");
}

}  // namespace
}  // namespace davit::blocknode
