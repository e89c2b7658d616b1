// Builders: from a BlockNode to the objects Davit applies for it. Pure functions; golden files in
// golden/.
//
//   BuildInput in{.node = node, .server_image = server_image(node.spec, defaults), …};
//   json::object service = build_client_service(in);
//
// Forms. What the pod looks like is pinned (rule 8: upgrading Davit restarts nothing): a form is
// the pod template and configuration of one compatibility version. A newer Davit that wants another
// shape adds a form beside the old one; it never edits an old one, since every byte of the template
// restarts pods. Any thread; they never fail: a node that did not pass validation must not come
// here.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "operands/blocknode/types.hpp"

namespace davit::blocknode {

inline constexpr std::string_view kCurrentForm = "0.0.1";
inline constexpr std::array<std::string_view, 1> kForms{"0.0.1"};
[[nodiscard]] bool is_known_form(std::string_view form);

struct BuildInput {
  const BlockNode* node = nullptr;
  std::string server_image;  // complete: repository and tag or digest
  std::string davit_image;   // pinned by the StatefulSet; of the wrapper and the agent
  std::string java_opts;     // heap.hpp
  std::string form{kCurrentForm};
};

// spec.image over `default_repository` ("registry/hiero-block-node"): digest, else tag, else
// version.
[[nodiscard]] std::string server_image(const BlockNodeSpec& spec,
                                       std::string_view default_repository);

[[nodiscard]] json::object build_configmap(const BuildInput& in);  // the environment
[[nodiscard]] json::object build_files(const BuildInput& in);      // ConfigMap of mounted files
[[nodiscard]] json::object build_serviceaccount(const BuildInput& in);
[[nodiscard]] json::object build_client_service(const BuildInput& in);
[[nodiscard]] json::object build_headless_service(const BuildInput& in);
// Digest of everything in the ConfigMaps that a running server has read at its start.
[[nodiscard]] std::string config_digest(const BuildInput& in);
[[nodiscard]] json::object build_statefulset(const BuildInput& in);

// A BlockNode as far as its disruption group cares.
struct Member {
  ObjectKey key;
  Uid uid;
  std::string group;
  bool orphan = false;  // policies.deletion is Orphan
};
// One budget for all `members`: the BlockNodes of one group in one namespace (not empty).
[[nodiscard]] json::object build_disruption_budget(std::vector<Member> members);

}  // namespace davit::blocknode
