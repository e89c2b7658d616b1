// What the server fills in and refuses for built-in kinds, as far as Davit can meet it (Kubernetes
// 1.36, pkg/apis/*/v1/defaults.go and validation). Pure; called by the Registry's types.
#pragma once

#include "sim/resource_type.hpp"

namespace davit::sim {

void default_pod(json::object& pod);
void default_workload(json::object& workload);  // the pod template of DaemonSet, Deployment, Job
void default_stateful_set(json::object& set);
void default_service(json::object& service);
void default_secret(json::object& secret);
void default_claim(json::object& claim);
void default_volume(json::object& volume);
void default_namespace(json::object& ns);
void default_storage_class(json::object& storage_class);

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
