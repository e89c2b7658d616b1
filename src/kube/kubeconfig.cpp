#include "kube/kubeconfig.hpp"

#include <charconv>
#include <filesystem>

#include "kube/file.hpp"
#include "wire/base64.hpp"
#include "wire/yaml.hpp"

namespace davit::kube {

namespace {

// One file's content, with the folder its relative paths start from.
struct File {
  std::string path;
  json::object content;

  [[nodiscard]] std::string resolve(std::string_view relative) const {
    return (std::filesystem::path(path).parent_path() / relative).lexically_normal().string();
  }
};

struct Entry {
  const File* file = nullptr;
  const json::object* body = nullptr;
};

Result<std::vector<File>> read_files(const std::vector<std::string>& paths) {
  std::vector<File> files;
  for (const std::string& path : paths) {
    auto text = read_file(path);
    if (!text && text.error().code() == Code::kNotFound) continue;
    if (!text) return fail(std::move(text.error()));
    auto documents = wire::parse_yaml(*text);
    if (!documents) return fail(std::move(documents.error()).because("kubeconfig " + path));
    if (documents->empty()) continue;
    if (documents->size() > 1 || !documents->front().is_object()) {
      return fail(Code::kInvalid, "kubeconfig " + path + " is not one YAML map");
    }
    files.push_back({path, std::move(documents->front().get_object())});
  }
  if (files.empty()) {
    std::string names;
    for (const std::string& path : paths) names += (names.empty() ? "" : ", ") + path;
    return fail(Code::kNotFound, "no kubeconfig at " + names);
  }
  return files;
}

// `list` is "clusters", `member` "cluster": [{name: x, cluster: {…}}]; the first of that name.
Result<Entry> find_entry(const std::vector<File>& files, std::string_view list,
                         std::string_view member, std::string_view name) {
  for (const File& file : files) {
    const json::array* entries = wire::find_array(file.content, list);
    if (entries == nullptr) continue;
    for (const json::value& value : *entries) {
      const json::object* entry = value.if_object();
      if (entry == nullptr || wire::find_string(*entry, "name") != name) continue;
      const json::object* body = wire::find_object(*entry, member);
      if (body != nullptr) return Entry{&file, body};
    }
  }
  return fail(Code::kInvalid, "the kubeconfig has no " + std::string(member) + " named \"" +
                                  std::string(name) + "\"");
}

// "certificate-authority-data" wins over "certificate-authority", as in client-go.
Result<io::PemSource> pem_of(const Entry& entry, const std::string& name) {
  const std::string_view data = wire::find_string(*entry.body, name + "-data");
  if (!data.empty()) {
    auto text = wire::base64_decode(data);
    if (!text) return fail(std::move(text.error()).because(name + "-data of the kubeconfig"));
    return io::PemSource::data(std::move(*text));
  }
  const std::string_view path = wire::find_string(*entry.body, name);
  return path.empty() ? io::PemSource() : io::PemSource::file(entry.file->resolve(path));
}

Status check_supported(const Entry& cluster, const Entry& user) {
  constexpr std::string_view kInstead =
      "; give the kubeconfig a client certificate or a token (kubectl create token), or run Davit "
      "in "
      "the cluster";
  const auto refuse = [](std::string what, std::string_view instead) {
    return fail(Code::kUnsupported, std::move(what) + std::string(instead));
  };
  if (const json::object* exec = wire::find_object(*user.body, "exec")) {
    return refuse("the kubeconfig gets its credentials from the program \"" +
                      std::string(wire::find_string(*exec, "command")) +
                      "\" (exec), which Davit does not run",
                  kInstead);
  }
  if (wire::find_object(*user.body, "auth-provider") != nullptr) {
    return refuse("the kubeconfig uses an auth-provider, which Kubernetes removed in 1.26",
                  kInstead);
  }
  if (!wire::find_string(*user.body, "username").empty()) {
    return refuse("the kubeconfig uses a user name and password, which Kubernetes removed in 1.19",
                  kInstead);
  }
  if (!wire::find_string(*user.body, "as").empty()) {
    return refuse("the kubeconfig impersonates another user (as), which Davit does not do",
                  "; give that user's own credentials");
  }
  if (!wire::find_string(*cluster.body, "proxy-url").empty()) {
    return refuse("the kubeconfig names a proxy-url, which Davit does not support",
                  "; remove it and make the API server reachable directly");
  }
  return {};
}

Status fill_cluster(const Entry& cluster, ClusterConfig& config) {
  config.tls.emplace();
  if (auto ok = parse_server_url(wire::find_string(*cluster.body, "server"), config); !ok)
    return ok;
  if (!config.tls) return {};
  auto ca = pem_of(cluster, "certificate-authority");
  if (!ca) return fail(std::move(ca.error()));
  config.tls->ca = std::move(*ca);
  config.tls->server_name = wire::find_string(*cluster.body, "tls-server-name");
  config.tls->insecure_skip_verify =
      wire::find_bool(*cluster.body, "insecure-skip-tls-verify", false);
  return {};
}

Status fill_user(const Entry& user, ClusterConfig& config) {
  config.token = wire::find_string(*user.body, "token");
  if (const auto file = wire::find_string(*user.body, "tokenFile"); !file.empty()) {
    config.token_file = user.file->resolve(file);
  }
  if (!config.tls) return {};
  auto certificate = pem_of(user, "client-certificate");
  if (!certificate) return fail(std::move(certificate.error()));
  auto key = pem_of(user, "client-key");
  if (!key) return fail(std::move(key.error()));
  if (certificate->empty() != key->empty()) {
    return fail(Code::kInvalid, "the kubeconfig has only one of client-certificate and client-key");
  }
  config.tls->certificate = std::move(*certificate);
  config.tls->key = std::move(*key);
  return {};
}

}  // namespace

Status parse_server_url(std::string_view url, ClusterConfig& config) {
  const auto invalid = [url](std::string_view why) {
    return fail(Code::kInvalid, "the server \"" + std::string(url) + "\" " + std::string(why));
  };
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
    config.port = 443;
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    config.port = 80;
    config.tls.reset();
  } else {
    return invalid("must begin with https:// or http://");
  }
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  rest.remove_prefix(authority.size());
  if (rest.find_first_of("?#") != std::string_view::npos) return invalid("may not have a query");
  while (rest.ends_with('/')) rest.remove_suffix(1);
  config.path_prefix = rest;
  if (authority.find('@') != std::string_view::npos) return invalid("may not hold a user name");
  std::string_view host = authority;
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return invalid("lacks a ]");
    host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
    if (!port.empty() && !port.starts_with(':')) return invalid("has text after the ]");
  } else if (const std::size_t colon = authority.find(':'); colon != std::string_view::npos) {
    host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (host.empty()) return invalid("names no host");
  if (!port.empty()) {
    port.remove_prefix(1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), config.port);
    if (error != std::errc() || end != port.data() + port.size() || config.port == 0) {
      return invalid("has no usable port");
    }
  }
  config.host = host;
  return {};
}

Result<ClusterConfig> read_kubeconfig(const std::vector<std::string>& paths,
                                      const std::string& context) {
  auto files = read_files(paths);
  if (!files) return fail(std::move(files.error()));
  std::string name = context;
  for (const File& file : *files) {
    if (!name.empty()) break;
    name = wire::find_string(file.content, "current-context");
  }
  if (name.empty()) {
    return fail(
        Code::kInvalid,
        "the kubeconfig names no current-context: choose one with kubectl config use-context");
  }
  auto chosen = find_entry(*files, "contexts", "context", name);
  if (!chosen) return fail(std::move(chosen.error()));
  auto cluster =
      find_entry(*files, "clusters", "cluster", wire::find_string(*chosen->body, "cluster"));
  if (!cluster) return fail(std::move(cluster.error()));
  static const json::object kNobody;
  Result<Entry> user = Entry{chosen->file, &kNobody};  // a context may do without a user
  if (const auto user_name = wire::find_string(*chosen->body, "user"); !user_name.empty()) {
    user = find_entry(*files, "users", "user", user_name);
    if (!user) return fail(std::move(user.error()));
  }
  if (auto ok = check_supported(*cluster, *user); !ok) return fail(std::move(ok.error()));
  ClusterConfig config;
  if (auto ok = fill_cluster(*cluster, config); !ok) return fail(std::move(ok.error()));
  if (auto ok = fill_user(*user, config); !ok) return fail(std::move(ok.error()));
  if (const auto ns = wire::find_string(*chosen->body, "namespace"); !ns.empty()) config.ns = ns;
  config.origin = "kubeconfig " + chosen->file->path + ", context " + name;
  return config;
}

}  // namespace davit::kube
