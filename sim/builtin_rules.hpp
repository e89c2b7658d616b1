// What the server fills in and refuses for built-in kinds, as far as Davit can meet it (Kubernetes
// 1.36, pkg/apis/*/v1/defaults.go and validation). Pure; called by the Registry's types.
#pragma once

#include "sim/resource_type.hpp"

namespace davit::sim {

void default_pod(json::object& pod);
void default_daemon_set(json::object& set);
void default_deployment(json::object& deployment);
void default_replica_set(json::object& set);
void default_job(json::object& job);
void default_stateful_set(json::object& set);
void default_service(json::object& service);
void default_secret(json::object& secret);
void default_claim(json::object& claim);
void default_volume(json::object& volume);
void default_namespace(json::object& ns);
void default_storage_class(json::object& storage_class);

void prepare_pod(json::object& pod, const json::object* before, const std::string& now);
void prepare_daemon_set(json::object& set, const json::object* before, const std::string& now);
void prepare_job(json::object& job, const json::object* before, const std::string& now);
void prepare_service(json::object& service, const json::object* before, const std::string& now);
void prepare_claim(json::object& claim, const json::object* before, const std::string& now);
void prepare_volume(json::object& volume, const json::object* before, const std::string& now);
void prepare_namespace(json::object& ns, const json::object* before, const std::string& now);
void prepare_node(json::object& node, const json::object* before, const std::string& now);

// Immutable once created: everything but replicas, template, updateStrategy and a few more.
std::optional<ApiError> validate_stateful_set(const ResourceType& type, const json::object& object,
                                              const json::object* before);
// Immutable but for growing requests; never smaller than what is provisioned.
std::optional<ApiError> validate_claim(const ResourceType& type, const json::object& object,
                                       const json::object* before);
// clusterIP is immutable; ports are needed unless external or headless.
std::optional<ApiError> validate_service(const ResourceType& type, const json::object& object,
                                         const json::object* before);

}  // namespace davit::sim
