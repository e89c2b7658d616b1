#include "kube/config.hpp"

#include <cstdlib>
#include <vector>

#include "kube/file.hpp"
#include "kube/kubeconfig.hpp"

namespace davit::kube {

namespace {

std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> paths;
  while (!list.empty()) {
    const std::string_view path = list.substr(0, list.find(':'));
    list.remove_prefix(std::min(list.size(), path.size() + 1));
    if (!path.empty()) paths.emplace_back(path);
  }
  return paths;
}

}  // namespace

Environment process_environment() {
  return [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());  // NOLINT(concurrency-mt-unsafe)
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

Result<ClusterConfig> in_cluster_config(const Environment& environment,
                                        const ConfigOptions& options) {
  const std::string host = environment("KUBERNETES_SERVICE_HOST").value_or("");
  const std::string port = environment("KUBERNETES_SERVICE_PORT").value_or("");
  if (host.empty() || port.empty()) {
    return fail(Code::kNotFound,
                "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  ClusterConfig config;
  config.tls.emplace();
  const bool v6 = host.find(':') != std::string::npos;
  if (auto ok = parse_server_url("https://" + (v6 ? "[" + host + "]" : host) + ":" + port, config);
      !ok) {
    return fail(std::move(ok.error()).because("the pod's environment"));
  }
  config.tls->ca = io::PemSource::file(options.service_account + "/ca.crt");
  config.token_file = options.service_account + "/token";
  // Both fail here, where it can be explained, and not at the first request.
  for (const std::string& path : {config.tls->ca.path, config.token_file}) {
    if (auto content = read_file(path); !content) {
      return fail(Error(Code::kInvalid, content.error().message())
                      .because("the pod has no usable service account (is "
                               "automountServiceAccountToken off?)"));
    }
  }
  if (auto ns = read_file(options.service_account + "/namespace")) {
    ns->erase(ns->find_last_not_of(" \t\r\n") + 1);
    if (!ns->empty()) config.ns = std::move(*ns);
  }
  config.origin = "the pod's service account";
  return config;
}

Result<ClusterConfig> load_config(const Environment& environment, const ConfigOptions& options) {
  if (!options.kubeconfig.empty()) return read_kubeconfig({options.kubeconfig}, options.context);
  if (const auto paths = split_list(environment("KUBECONFIG").value_or("")); !paths.empty()) {
    return read_kubeconfig(paths, options.context);
  }
  auto pod = in_cluster_config(environment, options);
  if (pod || pod.error().code() != Code::kNotFound) return pod;
  if (const auto home = environment("HOME"); home && !home->empty()) {
    return read_kubeconfig({*home + "/.kube/config"}, options.context);
  }
  return fail(Code::kNotFound, "no cluster to talk to: set KUBECONFIG, or run Davit in a pod");
}

}  // namespace davit::kube
