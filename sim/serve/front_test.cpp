#include "sim/serve/front.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "io/block_on.hpp"
#include "io/http_transport.hpp"
#include "sim/serve/kubeconfig.hpp"
#include "sim/serve/time_lapse.hpp"
#include "sim/test_cluster.hpp"
#include "wire/yaml.hpp"

namespace davit::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FrontTest : public ::testing::Test {
 public:
  // kubectl's side of the connection.
  std::unique_ptr<io::HttpTransport> client(std::string token) {
    io::HttpTransportConfig config;
    config.host = "127.0.0.1";
    config.port = front->port();
    config.tls = io::TlsClientConfig{.ca = io::PemSource::data(certificates.ca)};
    config.bearer_token = [token = std::move(token)] { return token; };
    return std::make_unique<io::HttpTransport>(real, std::move(config));
  }
  io::Deadline soon() { return io::Deadline::after(real, seconds(30)); }

  io::AsioLoop real;
  TestCluster cluster;
  TimeLapse time{real, [this](Duration passed) { cluster.loop.advance(passed); }, 60};
  Gateway gateway{cluster.server, cluster.loop, "secret"};
  ServerCertificates certificates = make_server_certificates({"IP:127.0.0.1"}, real.wall()).value();
  std::unique_ptr<Front> front = Front::listen({.real = real,
                                                .virtual_loop = cluster.loop,
                                                .gateway = gateway,
                                                .wake = [this] { time.wake(); }},
                                               0, certificates)
                                     .value();
};

TEST_F(FrontTest, AnswersOverTlsToWhomItKnows) {
  const auto known = client("secret");
  const auto stranger = client("guess");
  const auto answer = io::block_on(real, known->send({.target = "/api/v1/namespaces"}, soon()));
  ASSERT_TRUE(answer.has_value()) << answer.error().describe();
  EXPECT_EQ(answer->status, 200U);
  EXPECT_NE(answer->body.find("kube-system"), std::string::npos);
  EXPECT_EQ(io::block_on(real, stranger->send({.target = "/version"}, soon()))->status, 401U);
}

TEST_F(FrontTest, AClientThatGoesAwayTakesItsWatchWithIt) {
  const auto transport = client("secret");
  auto opened = io::block_on(real, transport->open({.target = "/api/v1/pods?watch=true"}, soon()));
  ASSERT_TRUE(opened.has_value());
  const auto until = [&](std::size_t streams) {
    io::block_on(real, [](FrontTest& t, std::size_t wanted) -> io::Task<void> {
      while (t.cluster.server.watches().open_streams() != wanted) {
        co_await io::sleep_for(t.real, milliseconds(1));
      }
    }(*this, streams));
  };
  until(1);
  opened->body.reset();
  until(0);
}

TEST(WatchLimit, IsTheClientsOrHalfAnHour) {
  EXPECT_EQ(watch_limit("/api/v1/pods?watch=true&timeoutSeconds=7"), seconds(7));
  EXPECT_EQ(watch_limit("/api/v1/pods"), std::chrono::minutes(30));
  EXPECT_EQ(watch_limit("/api/v1/pods?timeoutSeconds=-1"), std::chrono::minutes(30));
}

TEST(Kubeconfig, IsPrivateAndGoesWithItsFolder) {
  std::string path;
  {
    const auto folder = PrivateFolder::make();
    ASSERT_TRUE(folder.has_value());
    path = folder->path() + "/kubeconfig";
    ASSERT_TRUE(write_private(path, kubeconfig({6443, "PEM", "token"}, "hiero")).has_value());
    struct stat info{};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    ASSERT_EQ(::stat(folder->path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0700U);
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto read = wire::parse_yaml(text);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->front().at_pointer("/clusters/0/cluster/server"), "https://127.0.0.1:6443");
    EXPECT_EQ(read->front().at_pointer("/contexts/0/context/namespace"), "hiero");
  }
  std::ifstream gone(path);
  EXPECT_FALSE(gone.good());
}

TEST(Kubeconfig, AFileThatIsThereIsReplacedNotFollowed) {
  const auto folder = PrivateFolder::make().value();
  const std::string target = folder.path() + "/precious", link = folder.path() + "/kubeconfig";
  std::ofstream(target) << "precious";
  ASSERT_EQ(::symlink(target.c_str(), link.c_str()), 0);
  ASSERT_TRUE(write_private(link, "new").has_value());
  std::string kept;
  std::ifstream(target) >> kept;
  EXPECT_EQ(kept, "precious");
}

TEST(Token, IsLongAndNeverTheSame) {
  const std::string one = make_token().value(), other = make_token().value();
  EXPECT_EQ(one.size(), 64U);
  EXPECT_NE(one, other);
  EXPECT_TRUE(same_token(one, one));
  EXPECT_FALSE(same_token(one, other));
  EXPECT_FALSE(same_token(one, ""));
}

}  // namespace
}  // namespace davit::sim
