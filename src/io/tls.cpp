#include "io/tls.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "io/tls_access.hpp"

namespace davit::io {

namespace asio = boost::asio;

namespace {

using BioPtr = std::unique_ptr<BIO, decltype(&BIO_free_all)>;
using X509Ptr = std::unique_ptr<X509, decltype(&X509_free)>;
using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

std::string name_of(const PemSource& source) {
  return source.path.empty() ? "the given PEM text" : source.path;
}

// Changes whenever the file does: also when a symbolic link on the way is swapped.
std::string stamp(const PemSource& source) {
  struct stat info{};
  if (source.path.empty()) return "text;";
  if (::stat(source.path.c_str(), &info) != 0) return "missing;";
  return fmt::format("{}.{}.{}.{};", info.st_ino, info.st_size, info.st_mtim.tv_sec,
                     info.st_mtim.tv_nsec);
}

Result<std::string> read(const PemSource& source) {
  if (source.path.empty()) return source.text;
  std::ifstream in(source.path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) return fail(Code::kInvalid, fmt::format("cannot read {}", source.path));
  return text;
}

BioPtr bio_of(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free_all};
}

// nullptr at the end of the text.
X509Ptr next_certificate(BIO* bio) {
  return {PEM_read_bio_X509(bio, nullptr, nullptr, nullptr), &X509_free};
}

std::string openssl_error() {
  char text[256] = "unknown reason";
  const unsigned long error = ERR_get_error();
  if (error != 0) ERR_error_string_n(error, text, sizeof text);
  ERR_clear_error();
  return text;
}

Status use_ca(SSL_CTX* ctx, const PemSource& source) {
  if (source.empty()) {
    SSL_CTX_set_default_verify_paths(ctx);
    return {};
  }
  const Result<std::string> text = read(source);
  if (!text) return fail(text.error());
  X509_STORE* store = SSL_CTX_get_cert_store(ctx);
  const BioPtr bio = bio_of(*text);
  int count = 0;
  while (const X509Ptr certificate = next_certificate(bio.get())) {
    if (X509_STORE_add_cert(store, certificate.get()) == 1) ++count;
  }
  ERR_clear_error();
  if (count == 0) {
    return fail(Code::kInvalid, fmt::format("no CA certificate found in {}", name_of(source)));
  }
  // A bundle may hold an intermediate CA alone, as kubeconfigs do.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return {};
}

Status use_certificate(SSL_CTX* ctx, const PemSource& source) {
  const Result<std::string> text = read(source);
  if (!text) return fail(text.error());
  const BioPtr bio = bio_of(*text);
  const X509Ptr leaf = next_certificate(bio.get());
  if (!leaf || SSL_CTX_use_certificate(ctx, leaf.get()) != 1) {
    return fail(Code::kInvalid,
                fmt::format("no usable certificate in {}: {}", name_of(source), openssl_error()));
  }
  while (const X509Ptr link = next_certificate(bio.get())) SSL_CTX_add1_chain_cert(ctx, link.get());
  ERR_clear_error();
  return {};
}

Status use_key(SSL_CTX* ctx, const PemSource& source) {
  const Result<std::string> text = read(source);
  if (!text) return fail(text.error());
  const BioPtr bio = bio_of(*text);
  const KeyPtr key{PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free};
  if (!key || SSL_CTX_use_PrivateKey(ctx, key.get()) != 1 || SSL_CTX_check_private_key(ctx) != 1) {
    return fail(Code::kInvalid, fmt::format("no private key that fits the certificate in {}: {}",
                                            name_of(source), openssl_error()));
  }
  return {};
}

std::shared_ptr<TlsContext> make_context(asio::ssl::context::method method) {
  auto context = std::make_shared<TlsContext>(method);
  SSL_CTX* ctx = context->ssl.native_handle();
  SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
  SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
  return context;
}

Result<std::shared_ptr<TlsContext>> make_client(const TlsClientConfig& config) {
  auto context = make_context(asio::ssl::context::tls_client);
  SSL_CTX* ctx = context->ssl.native_handle();
  static constexpr unsigned char kAlpn[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(ctx, kAlpn, sizeof kAlpn - 1);
  SSL_CTX_set_verify(ctx, config.insecure_skip_verify ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  if (!config.insecure_skip_verify) {
    if (Status s = use_ca(ctx, config.ca); !s) return fail(s.error());
  }
  if (!config.certificate.empty()) {
    if (Status s = use_certificate(ctx, config.certificate); !s) return fail(s.error());
    if (Status s = use_key(ctx, config.key); !s) return fail(s.error());
  }
  return context;
}

Result<std::shared_ptr<TlsContext>> make_server(const TlsServerConfig& config) {
  auto context = make_context(asio::ssl::context::tls_server);
  SSL_CTX* ctx = context->ssl.native_handle();
  if (Status s = use_certificate(ctx, config.certificate); !s) return fail(s.error());
  if (Status s = use_key(ctx, config.key); !s) return fail(s.error());
  if (!config.client_ca.empty()) {
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    static constexpr unsigned char kContext[] = "davit";  // or clients that resume are refused
    SSL_CTX_set_session_id_context(ctx, kContext, sizeof kContext - 1);
    if (Status s = use_ca(ctx, config.client_ca); !s) return fail(s.error());
  }
  return context;
}

}  // namespace

TlsClient::TlsClient(TlsClientConfig config) : config_(std::move(config)) {}
TlsClient::~TlsClient() = default;

Result<std::shared_ptr<TlsContext>> TlsClient::context() {
  std::string now = stamp(config_.ca) + stamp(config_.certificate) + stamp(config_.key);
  if (context_ && now == seen_) return context_;
  Result<std::shared_ptr<TlsContext>> made = make_client(config_);
  if (!made) return made;
  seen_ = std::move(now);
  context_ = *made;
  return context_;
}

TlsServer::TlsServer(TlsServerConfig config) : config_(std::move(config)) {}
TlsServer::~TlsServer() = default;

Result<std::shared_ptr<TlsContext>> TlsServer::context() {
  std::string now = stamp(config_.certificate) + stamp(config_.key) + stamp(config_.client_ca);
  if (context_ && now == seen_) return context_;
  Result<std::shared_ptr<TlsContext>> made = make_server(config_);
  if (made) {
    seen_ = std::move(now);
    context_ = *made;
  } else if (!context_) {
    return made;
  }
  return context_;
}

}  // namespace davit::io
