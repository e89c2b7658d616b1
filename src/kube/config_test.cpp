#include "kube/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "kube/kubeconfig.hpp"
#include "wire/base64.hpp"

namespace davit::kube {
namespace {

using testing::HasSubstr;

struct ConfigTest : testing::Test {
  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                 testing::UnitTest::GetInstance()->current_test_info()->name();
  std::map<std::string, std::string, std::less<>> variables;
  ConfigOptions options;

  void SetUp() override {
    std::filesystem::create_directories(folder);
    options.service_account = (folder / "sa").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  Result<ClusterConfig> load() const {
    return load_config(
        [this](std::string_view name) -> std::optional<std::string> {
          const auto found = variables.find(name);
          if (found == variables.end()) return std::nullopt;
          return found->second;
        },
        options);
  }
  static std::string kubeconfig(const std::string& cluster, const std::string& user) {
    return "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts:\n- name: c\n  context: "
           "{cluster: k, user: u, namespace: team}\nclusters:\n- name: k\n  cluster: {" +
           cluster + "}\nusers:\n- name: u\n  user: {" + user + "}\n";
  }
};

TEST_F(ConfigTest, ReadsDataAndResolvesFilesBesideTheKubeconfig) {
  options.kubeconfig =
      write("k/config", kubeconfig("server: 'https://1.2.3.4:6443', certificate-authority-data: " +
                                       wire::base64_encode("CA") + ", tls-server-name: kubernetes",
                                   "client-certificate: pki/c.crt, client-key: /abs/c.key"));
  const ClusterConfig config = load().value();
  EXPECT_EQ(config.host, "1.2.3.4");
  EXPECT_EQ(config.port, 6443);
  EXPECT_EQ(config.ns, "team");
  ASSERT_TRUE(config.tls);
  EXPECT_EQ(config.tls->ca.text, "CA");
  EXPECT_EQ(config.tls->server_name, "kubernetes");
  EXPECT_EQ(config.tls->certificate.path, (folder / "k/pki/c.crt").string());
  EXPECT_EQ(config.tls->key.path, "/abs/c.key");
  EXPECT_FALSE(config.tls->insecure_skip_verify);
  EXPECT_THAT(config.origin, HasSubstr("context c"));
}

TEST_F(ConfigTest, ReadsTokensAndInsecure) {
  options.kubeconfig =
      write("a", kubeconfig("server: 'https://h/prefix/', insecure-skip-tls-verify: true",
                            "token: t, tokenFile: f"));
  const ClusterConfig config = load().value();
  EXPECT_EQ(config.path_prefix, "/prefix");
  EXPECT_EQ(config.port, 443);
  EXPECT_TRUE(config.tls->insecure_skip_verify);
  EXPECT_EQ(config.token, "t");
  EXPECT_EQ(config.token_file, (folder / "f").string());
}

TEST_F(ConfigTest, MergesTheKubeconfigListFirstWins) {
  const std::string first = write("first",
                                  "contexts:\n- name: c\n  context: {cluster: k, user: u}\n"
                                  "clusters:\n- name: k\n  cluster: {server: 'https://first'}\n");
  const std::string second = write("second", kubeconfig("server: 'https://second'", "token: t"));
  variables["KUBECONFIG"] = (folder / "missing").string() + "::" + first + ":" + second;
  const ClusterConfig config = load().value();
  EXPECT_EQ(config.host, "first");
  EXPECT_EQ(config.token, "t");
  EXPECT_EQ(config.ns, "default");
}

TEST_F(ConfigTest, AnotherContextMayBeChosen) {
  options.kubeconfig = write("a", kubeconfig("server: 'https://h'", "token: t"));
  options.context = "x";
  EXPECT_THAT(load().error().message(), HasSubstr("no context named \"x\""));
}

TEST_F(ConfigTest, SaysWhatItCannotDoAndWhatToDoInstead) {
  const std::tuple<std::string, std::string, std::string> kCases[] = {
      {"", "exec: {command: aws, args: [x]}", "\"aws\" (exec)"},
      {"", "auth-provider: {name: gcp}", "auth-provider"},
      {"", "username: a, password: b", "password"},
      {"", "as: other", "impersonates"},
      {", proxy-url: 'http://p'", "token: t", "proxy-url"}};
  for (const auto& [cluster, user, text] : kCases) {
    options.kubeconfig = write("a", kubeconfig("server: 'https://h'" + cluster, user));
    const auto config = load();
    ASSERT_FALSE(config) << text;
    EXPECT_EQ(config.error().code(), Code::kUnsupported) << text;
    EXPECT_THAT(config.error().message(), HasSubstr(text));
    EXPECT_THAT(config.error().message(), HasSubstr("; "));
  }
}

TEST_F(ConfigTest, RefusesBrokenFilesWithTheReason) {
  const std::pair<std::string, std::string> kCases[] = {
      {"a: [", "not YAML"},
      {"- a", "not one YAML map"},
      {"apiVersion: v1", "current-context"},
      {"current-context: c", "no context named"},
      {kubeconfig("x: y", "token: t"), "must begin with https"},
      {kubeconfig("server: 'https://h', certificate-authority-data: '!'", ""), "base64"},
      {kubeconfig("server: 'https://h'", "client-certificate: a"), "only one of"}};
  for (const auto& [text, message] : kCases) {
    options.kubeconfig = write("a", text);
    const auto config = load();
    ASSERT_FALSE(config) << text;
    EXPECT_EQ(config.error().code(), Code::kInvalid);
    EXPECT_THAT(config.error().describe(), HasSubstr(message));
  }
  options.kubeconfig = (folder / "none").string();
  EXPECT_EQ(load().error().code(), Code::kNotFound);
  options.kubeconfig = folder.string();  // a folder
  EXPECT_EQ(load().error().code(), Code::kInvalid);
}

TEST_F(ConfigTest, InThePodTheServiceAccountIsUsed) {
  variables = {{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  EXPECT_THAT(load().error().describe(), HasSubstr("automountServiceAccountToken"));
  write("sa/token", "secret");
  write("sa/ca.crt", "CA");
  write("sa/namespace", "davit-system\n");
  const ClusterConfig config = load().value();
  EXPECT_EQ(config.host, "fd00::1");
  EXPECT_EQ(config.port, 443);
  EXPECT_EQ(config.ns, "davit-system");
  EXPECT_EQ(config.token_file, options.service_account + "/token");
  EXPECT_EQ(config.tls->ca.path, options.service_account + "/ca.crt");
}

TEST_F(ConfigTest, OutsideAPodTheHomeIsLookedAtLast) {
  EXPECT_EQ(load().error().code(), Code::kNotFound);
  write(".kube/config", kubeconfig("server: 'http://h'", "token: t"));
  variables["HOME"] = folder.string();
  const ClusterConfig config = load().value();
  EXPECT_FALSE(config.tls);
  EXPECT_EQ(config.port, 80);
}

TEST(ServerUrl, TakesAddressesOfEveryForm) {
  const std::tuple<std::string_view, std::string_view, int, std::string_view> kCases[] = {
      {"https://a.b", "a.b", 443, ""},
      {"https://a.b:6443/", "a.b", 6443, ""},
      {"https://[fd00::1]:6443/k8s/c1", "fd00::1", 6443, "/k8s/c1"},
      {"https://[::1]", "::1", 443, ""},
      {"http://127.0.0.1:8001", "127.0.0.1", 8001, ""}};
  for (const auto& [url, host, port, prefix] : kCases) {
    ClusterConfig config;
    ASSERT_TRUE(parse_server_url(url, config)) << url;
    EXPECT_EQ(config.host, host);
    EXPECT_EQ(config.port, port);
    EXPECT_EQ(config.path_prefix, prefix);
  }
  for (const std::string_view url :
       {"", "a.b", "ftp://a", "https://", "https://:443", "https://a:", "https://a:0",
        "https://a:65536", "https://a:1x", "https://u@a", "https://[::1", "https://[::1]x",
        "https://a?b"}) {
    ClusterConfig config;
    EXPECT_FALSE(parse_server_url(url, config)) << url;
  }
}

}  // namespace
}  // namespace davit::kube
