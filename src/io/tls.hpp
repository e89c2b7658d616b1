// TLS settings of clients and servers, and the contexts made of them.
//
//   auto tls = std::make_shared<TlsClient>(TlsClientConfig{.ca = PemSource::file("/…/ca.crt")});
//
// A PemSource is a file or text. Files are looked at (by stat) for each new connection, and the
// context is made anew when one has changed: mounted secrets rotate without a restart; connections
// that exist keep what they have. TLS 1.2 at least; the server's certificate must be signed by the
// CA bundle (default: the system's) and name the host, as DNS name or IP address.
// On the loop's thread. Fails with kInvalid: a file cannot be read, or holds no usable PEM.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/result.hpp"

namespace davit::io {

struct PemSource {
  std::string path = {};  // read from here if not empty
  std::string text = {};

  [[nodiscard]] static PemSource file(std::string path) { return {std::move(path), {}}; }
  [[nodiscard]] static PemSource data(std::string text) { return {{}, std::move(text)}; }
  [[nodiscard]] bool empty() const { return path.empty() && text.empty(); }
};

struct TlsClientConfig {
  PemSource ca = {};             // bundle; empty: the system's
  PemSource certificate = {};    // of the client, with its chain; empty: none
  PemSource key = {};            // of the client's certificate
  std::string server_name = {};  // what the certificate must name; empty: the host connected to
  bool insecure_skip_verify = false;
};

struct TlsServerConfig {
  PemSource certificate = {};  // with its chain
  PemSource key = {};
  PemSource client_ca = {};  // not empty: clients must present a certificate signed by it
};

struct TlsContext;  // an SSL_CTX: tls_access.hpp

class TlsClient {
 public:
  explicit TlsClient(TlsClientConfig config);
  ~TlsClient();
  [[nodiscard]] const TlsClientConfig& config() const { return config_; }
  [[nodiscard]] Result<std::shared_ptr<TlsContext>> context();

 private:
  TlsClientConfig config_;
  std::shared_ptr<TlsContext> context_;
  std::string seen_;  // stamps of the files context_ was made of
};

class TlsServer {
 public:
  explicit TlsServer(TlsServerConfig config);
  ~TlsServer();
  // The last good context stays in use when the changed files are unusable (half-written pair).
  [[nodiscard]] Result<std::shared_ptr<TlsContext>> context();

 private:
  TlsServerConfig config_;
  std::shared_ptr<TlsContext> context_;
  std::string seen_;
};

}  // namespace davit::io
