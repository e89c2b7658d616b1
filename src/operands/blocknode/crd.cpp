#include "operands/blocknode/crd.hpp"

#include "operands/blocknode/types_schema.hpp"
#include "wire/schema_openapi.hpp"

namespace davit::blocknode {

namespace {

struct Column {
  std::string_view name;
  std::string_view type;
  std::string_view path;
  std::string_view text;
  bool wide = false;
};

// In the order in which kubectl shows them.
constexpr Column kColumns[]{
    {"Ready", "string", ".status.conditions[?(@.type==\"Ready\")].status",
     "Whether the node serves."},
    {"Reason", "string", ".status.conditions[?(@.type==\"Ready\")].reason",
     "Why it does, or does not."},
    {"Version", "string", ".status.version", "Version of the server that runs."},
    {"Height", "integer", ".status.lastBlock", "Last block that the node can give out."},
    {"As-Of", "date", ".status.asOf", "How long ago the height was read."},
    {"Free", "string", ".status.free", "Free space of the fullest volume that holds data."},
    {"Age", "date", ".metadata.creationTimestamp", "How long ago the BlockNode was created."},
    {"Network", "string", ".spec.network.name", "Network that the node serves.", true},
    {"Tier", "integer", ".spec.tier", "Tier of the node.", true},
    {"Profile", "string", ".spec.profile", "Role of the node.", true},
    {"First", "integer", ".status.firstBlock", "First block that the node can give out.", true},
    {"Ingesting", "string", ".status.conditions[?(@.type==\"Ingesting\")].status",
     "Whether blocks arrive, are verified and stored.", true},
    {"Node", "string", ".status.nodeName", "Kubernetes node the pod is on.", true},
    {"Endpoint", "string", ".status.endpoint", "Where clients reach the node.", true},
};

json::array columns() {
  json::array out;
  for (const Column& column : kColumns) {
    json::object object{{"name", column.name},
                        {"type", column.type},
                        {"jsonPath", column.path},
                        {"description", column.text}};
    if (column.wide) object["priority"] = 1;
    out.push_back(std::move(object));
  }
  return out;
}

json::object schema() {
  return {{"description",
           "A Hiero Block Node: one server that receives, verifies, stores and serves "
           "the block stream of a Hiero network."},
          {"type", "object"},
          {"required", json::array{"spec"}},
          {"properties",
           json::object{{"apiVersion", json::object{{"description",
                                                     "Group and version of this object: "
                                                     "davit.hiero.org/v1alpha1."},
                                                    {"type", "string"}}},
                        {"kind", json::object{{"description", "Kind of this object: BlockNode."},
                                              {"type", "string"}}},
                        // The server describes it, and refuses a description here.
                        {"metadata", json::object{{"type", "object"}}},
                        {"spec", wire::openapi(wire::describe<BlockNodeSpec>())},
                        {"status", wire::openapi(wire::describe<BlockNodeStatus>())}}}};
}

}  // namespace

json::object block_node_crd() {
  return {{"apiVersion", kube::kCustomResourceDefinitions.api_version()},
          {"kind", kube::kCustomResourceDefinitions.kind},
          {"metadata", json::object{{"name", kBlockNodes.qualified()}}},
          {"spec", json::object{{"group", kBlockNodes.group},
                                {"scope", "Namespaced"},
                                {"names", json::object{{"kind", kBlockNodes.kind},
                                                       {"listKind", "BlockNodeList"},
                                                       {"plural", kBlockNodes.plural},
                                                       {"singular", "blocknode"},
                                                       {"shortNames", json::array{"bn"}},
                                                       {"categories", json::array{"davit"}}}},
                                {"versions",
                                 json::array{json::object{
                                     {"name", kBlockNodes.version},
                                     {"served", true},
                                     {"storage", true},
                                     {"subresources", json::object{{"status", json::object{}}}},
                                     {"additionalPrinterColumns", columns()},
                                     {"schema", json::object{{"openAPIV3Schema", schema()}}}}}}}}};
}

}  // namespace davit::blocknode
