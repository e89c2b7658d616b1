// BlockNode: what a user writes and what Davit answers, as C++ values.
//
// The field tables beside this (types_schema.hpp) are the one source of the CRD, the reference and
// the JSON reader and writer. std::optional: absent in the manifest. Quantities stay text as the
// user wrote them (wire/quantity compares them by meaning). Values; no behaviour here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube/resource.hpp"

namespace davit::blocknode {

inline constexpr kube::Resource kBlockNodes{"davit.hiero.org", "v1alpha1", "BlockNode",
                                            "blocknodes"};

struct NetworkSpec {
  std::string name;
  std::optional<std::string> ledger_id;
};

// One of the five volumes of a node. Exactly one of size and existing_claim is needed.
struct VolumeSpec {
  std::optional<std::string> size;
  std::optional<std::string> storage_class_name;
  std::optional<std::string> existing_claim;
};

struct StorageSpec {
  VolumeSpec live;
  VolumeSpec historic;
  VolumeSpec application_state;
  VolumeSpec logs;
  VolumeSpec plugins;
};

struct ResourcesSpec {
  std::map<std::string, std::string> requests;
  std::map<std::string, std::string> limits;
};

struct ImageSpec {
  // "registry/repository" without tag; the tag is spec.version unless digest or tag says otherwise.
  std::optional<std::string> repository;
  std::optional<std::string> tag;
  std::optional<std::string> digest;  // "sha256:…"
  std::optional<std::string> pull_policy;
  std::vector<std::string> pull_secrets;
};

struct ExposureSpec {
  std::string type = "ClusterIP";  // ClusterIP | NodePort | LoadBalancer
  std::string ports = "Shared";    // Shared (one gRPC port) | Split (one per service)
  std::map<std::string, std::string> annotations;
};

struct PoliciesSpec {
  std::string deletion = "Retain";  // Retain | Orphan | Delete
};

struct BlockNodeSpec {
  std::string version;
  std::optional<ImageSpec> image;
  NetworkSpec network;
  std::int64_t tier = 1;
  std::string profile = "LFH";  // LFH | RFH | Rolling | Archive | Minimal
  std::optional<std::string> disruption_group;
  ResourcesSpec resources;
  StorageSpec storage;
  std::map<std::string, std::string> extra_config;  // environment name or property → value
  ExposureSpec exposure;
  PoliciesSpec policies;
};

struct VolumeStatus {
  std::string name;                 // live, historic, …
  std::string claim;                // the claim's name
  std::optional<std::string> size;  // capacity as bound
  std::optional<std::int64_t> used_percent;
  std::optional<std::string> phase;  // of the claim: Pending, Bound, Lost
};

struct Condition {
  std::string type;
  std::string status;  // True | False | Unknown
  std::string reason;
  std::string message;
  std::int64_t observed_generation = 0;
  std::string last_transition_time;
};

struct BlockNodeStatus {
  std::int64_t observed_generation = 0;
  std::vector<Condition> conditions;
  std::optional<std::string> version;                // what the running server says
  std::optional<std::string> compatibility_version;  // what the pod's form is pinned to (rule 8)
  std::optional<std::int64_t> first_block;
  std::optional<std::int64_t> last_block;
  std::optional<std::string> as_of;  // when the heights were read
  std::optional<std::string> endpoint;
  std::optional<std::string> node_name;
  std::vector<VolumeStatus> volumes;
  std::optional<std::int64_t> free_percent;  // of the fullest data volume
  std::int64_t restart_count = 0;
  std::optional<std::string> last_error;
  std::optional<std::string> config_hash;
};

struct BlockNode {
  ObjectKey key;
  Uid uid;
  std::int64_t generation = 0;
  bool deleting = false;
  std::map<std::string, std::string> labels;
  BlockNodeSpec spec;
  BlockNodeStatus status;
};

}  // namespace davit::blocknode
