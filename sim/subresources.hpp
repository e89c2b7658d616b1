// Subresources that are not parts of an object: eviction, scale, and those that only a real node
// could serve (refused). And the reviews of who may do what.
#pragma once

#include "io/http.hpp"
#include "sim/access_control.hpp"
#include "sim/operations.hpp"
#include "sim/route.hpp"

namespace davit::sim {

// POST pods/NAME/eviction: deletes the pod unless its disruption budget forbids it (429, with the
// budget named as the cause).
[[nodiscard]] io::HttpResponse serve_eviction(Operations& operations, const Route& route,
                                              const io::HttpRequest& request);
// GET, PUT and merge patches of statefulsets/NAME/scale and the like.
[[nodiscard]] io::HttpResponse serve_scale(Operations& operations, const Route& route,
                                           const io::HttpRequest& request);
[[nodiscard]] bool has_scale(const ResourceType& type);

// SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview; nullopt: another path.
[[nodiscard]] std::optional<io::HttpResponse> serve_review(const AccessControl& access,
                                                           const std::string& user,
                                                           const Route& route,
                                                           const io::HttpRequest& request);

}  // namespace davit::sim
