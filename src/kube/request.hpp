// Requests of the Kubernetes API as values: paths, queries and bodies, built without I/O.
//
//   auto request = get_request(kPods, {"default", "a"});   // GET /api/v1/namespaces/default/pods/a
//
// Names are one path segment and percent-encoded; what cannot be a segment (empty, ".", "..", or
// with
// "/", "%" or a control character: apimachinery's path segment rules) is kInvalid, so that no name
// can reach another path. Pure; any thread.
#pragma once

#include "kube/client.hpp"
#include "wire/percent.hpp"

namespace davit::kube {

// "/api/v1/namespaces/ns/pods", "/apis/apps/v1/statefulsets" (ns empty: all namespaces).
[[nodiscard]] Result<std::string> collection_path(const Resource& resource, std::string_view ns);
// Path of one object; `subresource` may be empty or nested ("status", "ephemeralcontainers").
[[nodiscard]] Result<std::string> object_path(const Resource& resource, const ObjectKey& key,
                                              std::string_view subresource = {});

[[nodiscard]] Result<io::HttpRequest> get_request(const Resource& resource, const ObjectKey& key);
[[nodiscard]] Result<io::HttpRequest> list_request(const Resource& resource, std::string_view ns,
                                                   const ListOptions& options);
[[nodiscard]] Result<io::HttpRequest> watch_request(const Resource& resource, std::string_view ns,
                                                    const WatchOptions& options);
[[nodiscard]] Result<io::HttpRequest> create_request(const Resource& resource, json::object object,
                                                     const FieldManager& manager,
                                                     std::string_view subresource = {});
[[nodiscard]] Result<io::HttpRequest> replace_request(const Resource& resource, json::object object,
                                                      const FieldManager& manager,
                                                      std::string_view subresource = {});
[[nodiscard]] Result<io::HttpRequest> apply_request(const Resource& resource, json::object object,
                                                    const ApplyOptions& options);
[[nodiscard]] Result<io::HttpRequest> patch_request(const Resource& resource, const ObjectKey& key,
                                                    PatchType type, const json::value& patch,
                                                    const FieldManager& manager,
                                                    std::string_view subresource = {});
[[nodiscard]] Result<io::HttpRequest> delete_request(const Resource& resource, const ObjectKey& key,
                                                     const DeleteOptions& options);
// `target` must begin with "/" and hold only visible ASCII.
[[nodiscard]] Result<io::HttpRequest> raw_request(std::string method, std::string target,
                                                  std::string body);

}  // namespace davit::kube
