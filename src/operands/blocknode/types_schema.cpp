#include "operands/blocknode/types_schema.hpp"

namespace davit::blocknode {

Result<BlockNode> read_block_node(const json::object& object) {
  BlockNode node{.key = kube::key_of(object),
                 .uid = kube::uid_of(object),
                 .generation = kube::generation_of(object),
                 .deleting = kube::is_deleting(object),
                 .labels = {},
                 .spec = {},
                 .status = {}};
  if (const json::object* labels = wire::find_object(object, "metadata.labels")) {
    for (const auto& label : *labels) {
      if (const json::string* text = label.value().if_string()) {
        node.labels.emplace(std::string(label.key()), std::string(*text));
      }
    }
  }
  const json::value* spec = wire::find(object, "spec");
  const json::object* fields = spec != nullptr ? spec->if_object() : nullptr;
  if (fields == nullptr) {
    return fail(Code::kInvalid,
                "spec is missing; it must at least hold version, network and storage");
  }
  auto read = wire::read<BlockNodeSpec>(*fields, "spec");
  if (!read) return fail(read.error());
  node.spec = std::move(*read);
  if (const json::object* status = wire::find_object(object, "status")) {
    node.status = wire::read<BlockNodeStatus>(*status, "status").value_or(BlockNodeStatus{});
  }
  return node;
}

json::object write_spec(const BlockNodeSpec& spec) { return wire::write(spec); }

json::object write_status(const BlockNodeStatus& status) { return wire::write(status); }

json::object write_block_node(const BlockNode& node) {
  json::object metadata{{"name", node.key.name}, {"namespace", node.key.ns}};
  if (!node.labels.empty()) {
    json::object labels;
    for (const auto& [key, value] : node.labels) labels[key] = value;
    metadata["labels"] = std::move(labels);
  }
  return {{"apiVersion", kBlockNodes.api_version()},
          {"kind", kBlockNodes.kind},
          {"metadata", std::move(metadata)},
          {"spec", write_spec(node.spec)},
          {"status", write_status(node.status)}};
}

}  // namespace davit::blocknode
