#include "operands/blocknode/types_schema.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>

#include "operands/blocknode/crd.hpp"
#include "operands/blocknode/validation.hpp"
#include "wire/schema_openapi.hpp"
#include "wire/yaml.hpp"

namespace davit::blocknode {
namespace {

using testing::IsEmpty;

// Every table that is reachable from `table`.
void each_table(const wire::Struct& table, const std::function<void(const wire::Struct&)>& visit) {
  visit(table);
  for (const wire::Field& field : table.fields) {
    const wire::Type* type = field.type;
    while (type->item != nullptr) type = type->item;
    if (type->structure != nullptr) each_table(type->structure(), visit);
  }
}

void each_block_node_table(const std::function<void(const wire::Struct&)>& visit) {
  each_table(wire::describe<BlockNodeSpec>(), visit);
  each_table(wire::describe<BlockNodeStatus>(), visit);
}

BlockNode full_node() {
  BlockNode node{.key = {"ns", "bn1"}, .labels = {{"team", "core"}}};
  node.spec.version = "0.40.1";
  node.spec.image = ImageSpec{.repository = "r.example/bn",
                              .tag = "t",
                              .digest = "sha256:0",
                              .pull_policy = "Always",
                              .pull_secrets = {"a", "b"}};
  node.spec.network = {.name = "mainnet", .ledger_id = "00"};
  node.spec.tier = 2;
  node.spec.profile = "RFH";
  node.spec.disruption_group = "g";
  node.spec.resources = {.requests = {{"cpu", "1"}}, .limits = {{"memory", "2Gi"}}};
  node.spec.storage.live = {.size = "5Gi", .storage_class_name = "fast", .existing_claim = {}};
  node.spec.storage.historic.existing_claim = "old";
  node.spec.extra_config = {{"SERVER_PORT", "40840"}};
  node.spec.exposure = {.type = "NodePort", .ports = "Split", .annotations = {{"a", "b"}}};
  node.spec.policies.deletion = "Orphan";
  node.status.observed_generation = 4;
  node.status.conditions = {{.type = "Ready",
                             .status = "True",
                             .reason = "Serving",
                             .message = "It serves.",
                             .observed_generation = 4,
                             .last_transition_time = "2026-01-01T00:00:00Z"}};
  node.status.version = "0.40.1";
  node.status.compatibility_version = "0.0.1";
  node.status.first_block = 0;
  node.status.last_block = 91334021;
  node.status.as_of = "2026-01-01T00:00:00Z";
  node.status.endpoint = "bn1.ns.svc:40840";
  node.status.node_name = "node-1";
  node.status.volumes = {
      {.name = "live", .claim = "bn1-live", .size = "5Gi", .used_percent = 62, .phase = "Bound"}};
  node.status.free_percent = 38;
  node.status.restart_count = 1;
  node.status.last_error = "nothing much";
  node.status.config_hash = "abc";
  return node;
}

// A member without a row would be lost in silence: its bytes are then uncovered.
TEST(BlockNodeSchema, EveryMemberOfEveryStructHasARow) {
  each_block_node_table([](const wire::Struct& table) {
    const void* object = table.fresh();
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    for (const wire::Field& field : table.fields) {
      const auto at = static_cast<std::size_t>(static_cast<const char*>(field.view(object)) -
                                               static_cast<const char*>(object));
      spans.emplace_back(at, field.type->size);
    }
    std::ranges::sort(spans);
    std::size_t covered = 0;
    for (const auto& [at, size] : spans) {
      EXPECT_LT(at - covered, 8U) << table.name << ": a member before offset " << at;
      covered = at + size;
    }
    EXPECT_LT(table.size - covered, 8U) << table.name << ": a member at the end";
  });
}

TEST(BlockNodeSchema, EveryMemberSurvivesWritingAndReading) {
  const BlockNode node = full_node();
  const json::object written = write_block_node(node);
  const auto read = read_block_node(written);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(wire::pretty(write_block_node(*read)), wire::pretty(written));
  // Nothing but the three volumes without size and claim was left out.
  each_table(wire::describe<BlockNodeStatus>(), [&](const wire::Struct& table) {
    if (table.name != "BlockNodeStatus") return;
    EXPECT_EQ(write_status(read->status).size(), table.fields.size());
  });
  EXPECT_EQ(write_spec(read->spec).size(), wire::describe<BlockNodeSpec>().fields.size());
}

TEST(BlockNodeSchema, PercentIsWrittenAsPeopleReadIt) {
  EXPECT_EQ(wire::find_string(write_status(full_node().status), "free"), "38%");
}

TEST(BlockNodeSchema, ASpecOfTheWrongShapeIsAnErrorWithThePath) {
  json::object object = write_block_node(full_node());
  wire::ensure_object(object, "spec.storage.live")["size"] = json::array{};
  const auto read = read_block_node(object);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message(),
            "spec.storage.live.size must be text or a number, but is a list");
  object.erase("spec");
  EXPECT_FALSE(read_block_node(object));
}

TEST(BlockNodeSchema, AStatusThatCannotBeReadCountsAsEmpty) {
  json::object object = write_block_node(full_node());
  wire::ensure_object(object, "status")["lastBlock"] = "many";
  const auto read = read_block_node(object);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->status.last_block);
  EXPECT_TRUE(read->status.conditions.empty());
}

TEST(BlockNodeSchema, ResourcesMayBeWrittenAsNumbers) {
  json::object object = write_block_node(full_node());
  wire::ensure_object(object, "spec.resources.limits")["cpu"] = 1;
  const auto read = read_block_node(object);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->spec.resources.limits.at("cpu"), "1");
}

// What a field says where it is not given must be said somewhere.
TEST(BlockNodeSchema, EveryOptionalFieldSaysWhatHoldsWithoutIt) {
  each_block_node_table([](const wire::Struct& table) {
    for (const wire::Field& field : table.fields) {
      EXPECT_TRUE(field.spec.required || field.spec.defaulted || !field.spec.absent.empty())
          << table.name << "." << field.spec.name;
    }
  });
}

// Without limits the API server assumes the worst, and refuses the CEL rules for their cost.
TEST(BlockNodeSchema, EveryTextListAndMapIsBounded) {
  each_block_node_table([](const wire::Struct& table) {
    for (const wire::Field& field : table.fields) {
      const bool collection =
          field.type->kind == wire::Kind::kList || field.type->kind == wire::Kind::kMap;
      const wire::Type& scalar = field.type->item != nullptr ? *field.type->item : *field.type;
      if (collection) EXPECT_NE(field.spec.max_items, 0U) << table.name << "." << field.spec.name;
      if (scalar.kind == wire::Kind::kString && field.spec.one_of.empty()) {
        EXPECT_NE(field.spec.max_length, 0U) << table.name << "." << field.spec.name;
      }
    }
  });
}

void each_property(const json::object& schema, const std::string& path,
                   const std::function<void(const json::object&, const std::string&)>& visit) {
  if (const json::object* properties = wire::find_object(schema, "properties")) {
    for (const auto& property : *properties) {
      const std::string inner = path + "." + std::string(property.key());
      visit(property.value().as_object(), inner);
      each_property(property.value().as_object(), inner, visit);
    }
  }
  for (const char* member : {"items", "additionalProperties"}) {
    if (const json::object* inner = wire::find_object(schema, member)) {
      each_property(*inner, path + "[]", visit);
    }
  }
}

const json::object& version_of(const json::object& crd) {
  return wire::find_array(crd, "spec.versions")->at(0).as_object();
}

TEST(BlockNodeCrd, EveryPropertyIsDescribed) {
  const json::object crd = block_node_crd();
  const json::object& schema = *wire::find_object(version_of(crd), "schema.openAPIV3Schema");
  int count = 0;
  each_property(schema, "", [&](const json::object& property, const std::string& path) {
    ++count;
    if (path == ".metadata") return;  // the server describes it
    EXPECT_GT(wire::find_string(property, "description").size(), 8U) << path;
  });
  EXPECT_GT(count, 50);
}

TEST(BlockNodeCrd, NothingUnknownIsPreserved) {
  const std::string text = wire::canonical(block_node_crd());
  EXPECT_EQ(text.find("preserve-unknown"), std::string::npos);
}

// Client-side apply keeps the whole object in an annotation of at most 256 KiB.
TEST(BlockNodeCrd, IsSmallEnoughForClientSideApply) {
  EXPECT_LT(wire::pretty(block_node_crd()).size(), 200U * 1024);
}

TEST(BlockNodeCrd, TheColumnsAreThoseOfTheSketch) {
  const json::object crd = block_node_crd();
  std::string narrow;
  std::string wide;
  for (const json::value& column : *wire::find_array(version_of(crd), "additionalPrinterColumns")) {
    const json::object& object = column.as_object();
    (object.contains("priority") ? wide : narrow) +=
        std::string(wire::find_string(object, "name")) + " ";
  }
  EXPECT_EQ(narrow, "Ready Reason Version Height As-Of Free Age ");
  EXPECT_EQ(wide, "Network Tier Profile First Ingesting Node Endpoint ");
}

TEST(BlockNodeCrd, RulesSitOnFields) {
  const json::object crd = block_node_crd();
  const json::object& schema = *wire::find_object(version_of(crd), "schema.openAPIV3Schema");
  EXPECT_FALSE(schema.contains("x-kubernetes-validations"));
  for (const char* part : {"spec", "status"}) {
    const json::object& inner = *wire::find_object(schema, std::string("properties.") + part);
    EXPECT_FALSE(inner.contains("x-kubernetes-validations")) << part;
  }
}

TEST(BlockNodeCrd, TheSamplesAreValid) {
  for (const char* file : {"samples/blocknode.yaml", "local/sample/blocknode.yaml"}) {
    std::ifstream in(std::string(DAVIT_SOURCE_DIR "/deploy/") + file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto documents = wire::parse_yaml(text);
    ASSERT_TRUE(documents) << file << ": " << documents.error().message();
    ASSERT_EQ(documents->size(), 1U) << file;
    const auto node = read_block_node(documents->front().as_object());
    ASSERT_TRUE(node) << file << ": " << node.error().message();
    EXPECT_THAT(validate(*node), IsEmpty()) << file;
  }
}

}  // namespace
}  // namespace davit::blocknode
