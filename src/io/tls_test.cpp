#include "io/tls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/block_on.hpp"
#include "io/http_server.hpp"
#include "io/http_transport.hpp"
#include "io/test_certificates.hpp"
#include "io/test_server.hpp"

namespace davit::io {
namespace {

using ::testing::HasSubstr;
using testing::kPatience;
using testing::TestCa;

class TlsTest : public ::testing::Test {
 public:
  TlsTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "davit-tls-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~TlsTest() override { std::filesystem::remove_all(folder_); }

 protected:
  PemSource file(const std::string& name, const std::string& text) {
    // A new file each time, as a mounted secret is replaced: never a half-written one.
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path.string() + ".new") << text;
    std::filesystem::rename(path.string() + ".new", path);
    return PemSource::file(path);
  }
  std::unique_ptr<HttpServer> serve(PemSource certificate, PemSource key) {
    return HttpServer::listen(
               loop_, {.tls = TlsServerConfig{std::move(certificate), std::move(key), client_ca_}},
               [](HttpRequest) -> Task<HttpResponse> { co_return HttpResponse{200, {}, "secure"}; })
        .value();
  }
  std::unique_ptr<HttpServer> serve(const testing::Pair& pair) {
    return serve(PemSource::data(pair.certificate), PemSource::data(pair.key));
  }
  Result<HttpResponse> get(std::uint16_t port, TlsClientConfig tls) {
    HttpTransport transport(loop_, {.host = "127.0.0.1", .port = port, .tls = std::move(tls)});
    return block_on(loop_, transport.send({}, Deadline::after(loop_, kPatience)));
  }
  TlsClientConfig trusting(const TestCa& ca) { return {.ca = PemSource::data(ca.certificate())}; }

  std::filesystem::path folder_;
  AsioLoop loop_;
  TestCa ca_;
  PemSource client_ca_;  // of serve()
};

TEST_F(TlsTest, ACertificateForTheAddressIsAcceptedAndTheConnectionReused) {
  auto server = serve(ca_.issue({"IP:127.0.0.1"}));
  HttpTransport transport(loop_,
                          {.host = "127.0.0.1", .port = server->port(), .tls = trusting(ca_)});
  for (int i = 0; i < 3; ++i) {
    const auto answer = block_on(loop_, transport.send({}, Deadline::after(loop_, kPatience)));
    ASSERT_TRUE(answer) << answer.error().describe();
    EXPECT_EQ(answer->body, "secure");
  }
  EXPECT_EQ(server->connections(), 1u);
}

TEST_F(TlsTest, ACertificateForAnotherNameIsRefusedAndSaysSo) {
  auto server = serve(ca_.issue({"DNS:other.example", "IP:10.9.9.9"}));
  const auto answer = get(server->port(), trusting(ca_));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kUnavailable);
  EXPECT_THAT(answer.error().describe(), HasSubstr("is not valid for 127.0.0.1"));
}

TEST_F(TlsTest, TheServerNameOfTheConfigurationIsWhatCounts) {
  auto server = serve(ca_.issue({"DNS:api.example"}));
  TlsClientConfig tls = trusting(ca_);
  tls.server_name = "api.example";
  EXPECT_TRUE(get(server->port(), tls));
  tls.server_name = "sub.api.example";
  EXPECT_FALSE(get(server->port(), tls));
}

TEST_F(TlsTest, AnUnknownCaOrAnExpiredCertificateIsNotTrusted) {
  auto server = serve(ca_.issue({"IP:127.0.0.1"}));
  const auto unknown = get(server->port(), trusting(TestCa()));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), Code::kUnavailable);
  EXPECT_THAT(unknown.error().describe(), HasSubstr("is not trusted"));
  auto expired = serve(ca_.issue({"IP:127.0.0.1"}, false));
  const auto answer = get(expired->port(), trusting(ca_));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().describe(), HasSubstr("expired"));
}

TEST_F(TlsTest, VerificationIsSkippedOnlyWhenAskedFor) {
  auto server = serve(ca_.issue({"DNS:other.example"}));
  EXPECT_TRUE(get(server->port(), {.insecure_skip_verify = true}));
}

TEST_F(TlsTest, UnusableFilesAreInvalidAndNamed) {
  auto server = serve(ca_.issue({"IP:127.0.0.1"}));
  const auto missing = get(server->port(), {.ca = PemSource::file(folder_ / "missing.crt")});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), Code::kInvalid);
  EXPECT_THAT(missing.error().describe(), HasSubstr("missing.crt"));
  const auto garbage = get(server->port(), {.ca = PemSource::data("garbage")});
  ASSERT_FALSE(garbage);
  EXPECT_EQ(garbage.error().code(), Code::kInvalid);
  const testing::Pair a = ca_.issue({"DNS:a"});
  const testing::Pair b = ca_.issue({"DNS:b"});
  const auto mixed = get(server->port(), {.ca = PemSource::data(ca_.certificate()),
                                          .certificate = PemSource::data(a.certificate),
                                          .key = PemSource::data(b.key)});
  ASSERT_FALSE(mixed);
  EXPECT_THAT(mixed.error().describe(), HasSubstr("no private key that fits"));
}

TEST_F(TlsTest, AServerThatWantsClientCertificatesHearsOnlyThoseOfItsCa) {
  client_ca_ = PemSource::data(ca_.certificate());
  auto server = serve(ca_.issue({"IP:127.0.0.1"}));
  const testing::Pair good = ca_.issue({"DNS:client"});
  const testing::Pair foreign = TestCa().issue({"DNS:client"});
  TlsClientConfig tls = trusting(ca_);
  const auto none = get(server->port(), tls);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), Code::kUnavailable);
  tls.certificate = PemSource::data(foreign.certificate);
  tls.key = PemSource::data(foreign.key);
  EXPECT_FALSE(get(server->port(), tls));
  tls.certificate = PemSource::data(good.certificate);
  tls.key = PemSource::data(good.key);
  const auto answer = get(server->port(), tls);
  ASSERT_TRUE(answer) << answer.error().describe();
}

TEST_F(TlsTest, AServerTakesItsReplacedCertificateForNewConnections) {
  const testing::Pair first = ca_.issue({"IP:127.0.0.1"});
  TestCa second_ca;
  const testing::Pair second = second_ca.issue({"IP:127.0.0.1"});
  const PemSource certificate = file("tls.crt", first.certificate);
  const PemSource key = file("tls.key", first.key);
  auto server = serve(certificate, key);
  EXPECT_TRUE(get(server->port(), trusting(ca_)));
  file("tls.crt", second.certificate);  // the pair does not fit now: the old one stays
  EXPECT_TRUE(get(server->port(), trusting(ca_)));
  file("tls.key", second.key);
  EXPECT_TRUE(get(server->port(), trusting(second_ca)));
  EXPECT_FALSE(get(server->port(), trusting(ca_)));
}

TEST_F(TlsTest, AClientTakesItsReplacedCaForNewConnections) {
  const TestCa other;
  auto server = serve(ca_.issue({"IP:127.0.0.1"}));
  HttpTransport transport(loop_,
                          {.host = "127.0.0.1",
                           .port = server->port(),
                           .tls = TlsClientConfig{.ca = file("ca.crt", other.certificate())}});
  EXPECT_FALSE(block_on(loop_, transport.send({}, Deadline::after(loop_, kPatience))));
  file("ca.crt", other.certificate() + ca_.certificate());
  EXPECT_TRUE(block_on(loop_, transport.send({}, Deadline::after(loop_, kPatience))));
}

TEST_F(TlsTest, PlainTalkToATlsPortAndTlsToAPlainPortFailInWords) {
  auto server = serve(ca_.issue({"IP:127.0.0.1"}));
  HttpTransport plain(loop_, {.host = "127.0.0.1", .port = server->port()});
  const auto answer = block_on(loop_, plain.send({}, Deadline::after(loop_, kPatience)));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kUnavailable);
  auto http = HttpServer::listen(loop_, {}, [](HttpRequest) -> Task<HttpResponse> {
                co_return HttpResponse{200};
              }).value();
  const auto tls = get(http->port(), trusting(ca_));
  ASSERT_FALSE(tls);
  EXPECT_EQ(tls.error().code(), Code::kUnavailable);
  EXPECT_THAT(tls.error().describe(), HasSubstr("TLS with 127.0.0.1:"));
}

TEST_F(TlsTest, AStalledHandshakeIsDeadlineExceeded) {
  testing::RawServer silent(
      loop_, [this](Stream stream, int) -> Task<void> { co_await testing::drain(loop_, stream); });
  HttpTransport transport(loop_,
                          {.host = "127.0.0.1", .port = silent.port(), .tls = trusting(ca_)});
  const auto answer =
      block_on(loop_, transport.send({}, Deadline::after(loop_, std::chrono::milliseconds(30))));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kDeadlineExceeded);
}

}  // namespace
}  // namespace davit::io
