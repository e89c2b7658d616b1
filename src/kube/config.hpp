// ClusterConfig: where the API server is and how to prove who we are, from a kubeconfig or the pod.
//
//   Result<ClusterConfig> config = load_config(process_environment());
//
// Order: an explicit path, the KUBECONFIG list (merged as kubectl does: the first file to say
// something wins), the pod's service account, $HOME/.kube/config. What Davit cannot do (exec and
// auth-provider plugins, passwords, proxies, impersonation) is kUnsupported and says what to do
// instead. Reads files, at start only; certificates and tokens given as files are read by who uses
// them. The struct holds secrets: never print it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "io/tls.hpp"

namespace davit::kube {

struct ClusterConfig {
  std::string host;  // IPv6 without brackets
  std::uint16_t port = 443;
  std::string path_prefix;                 // of every request, "/k8s/clusters/c-1"; usually empty
  std::optional<io::TlsClientConfig> tls;  // none: plain HTTP
  std::string token;                       // a fixed one
  std::string token_file;                  // wins over token
  std::string ns = "default";              // of the context, or the pod's
  std::string origin;                      // for people: "kubeconfig /x/y, context z"
};

// Value of an environment variable; nullopt when it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view)>;
[[nodiscard]] Environment process_environment();

struct ConfigOptions {
  std::string kubeconfig;  // a path; empty: see above
  std::string context;     // empty: current-context
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
};

[[nodiscard]] Result<ClusterConfig> load_config(const Environment& environment,
                                                const ConfigOptions& options = {});
// kNotFound when not in a pod (KUBERNETES_SERVICE_HOST is not set).
[[nodiscard]] Result<ClusterConfig> in_cluster_config(const Environment& environment,
                                                      const ConfigOptions& options = {});

}  // namespace davit::kube
