#include "sim/serve/certificates.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>

namespace davit::sim {

namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free_all)>;

constexpr std::time_t kDay = 86'400;
constexpr std::time_t kYear = 365 * kDay;

template <typename Write>
std::string pem_of(Write write) {
  const Bio bio(BIO_new(BIO_s_mem()), &BIO_free_all);
  if (!bio || write(bio.get()) != 1) return {};
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem(X509* certificate) {
  return pem_of([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}

std::string pem(EVP_PKEY* key) {
  return pem_of([&](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

bool extend(X509* certificate, X509* issuer, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str());
  if (extension == nullptr) return false;
  const bool added = X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

Certificate blank(EVP_PKEY* key, const std::string& name, WallTime now) {
  const std::time_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  Certificate certificate(X509_new(), &X509_free);
  if (!certificate) return certificate;
  X509_set_version(certificate.get(), X509_VERSION_3);
  std::array<unsigned char, 8> serial{};
  RAND_bytes(serial.data(), static_cast<int>(serial.size()));
  std::uint64_t number = 0;
  for (const unsigned char byte : serial) number = number << 8 | byte;
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), number >> 1);
  ASN1_TIME_set(X509_getm_notBefore(certificate.get()), seconds - kDay);
  ASN1_TIME_set(X509_getm_notAfter(certificate.get()), seconds + kYear);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.data()),
                             static_cast<int>(name.size()), -1, 0);
  return certificate;
}

}  // namespace

Result<ServerCertificates> make_server_certificates(const std::vector<std::string>& names,
                                                    WallTime now) {
  const Error failed(Code::kInternal, "OpenSSL cannot make certificates");
  const Key ca_key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const Key key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  if (!ca_key || !key) return fail(failed);
  const Certificate ca = blank(ca_key.get(), "davit-sim", now);
  const Certificate leaf = blank(key.get(), "davit-sim serve", now);
  if (!ca || !leaf) return fail(failed);
  X509_set_issuer_name(ca.get(), X509_get_subject_name(ca.get()));
  X509_set_issuer_name(leaf.get(), X509_get_subject_name(ca.get()));
  const bool made = extend(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE") &&
                    extend(ca.get(), ca.get(), NID_key_usage, "critical,keyCertSign") &&
                    extend(ca.get(), ca.get(), NID_subject_key_identifier, "hash") &&
                    X509_sign(ca.get(), ca_key.get(), EVP_sha256()) != 0 &&
                    extend(leaf.get(), ca.get(), NID_basic_constraints, "critical,CA:FALSE") &&
                    extend(leaf.get(), ca.get(), NID_ext_key_usage, "serverAuth") &&
                    extend(leaf.get(), ca.get(), NID_subject_alt_name,
                           fmt::format("{}", fmt::join(names, ","))) &&
                    extend(leaf.get(), ca.get(), NID_authority_key_identifier, "keyid:always") &&
                    X509_sign(leaf.get(), ca_key.get(), EVP_sha256()) != 0;
  ServerCertificates result{pem(ca.get()), pem(leaf.get()), pem(key.get())};
  if (!made || result.ca.empty() || result.certificate.empty() || result.key.empty()) {
    return fail(failed);
  }
  return result;
}

Result<std::string> make_token() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    return fail(Code::kInternal, "no entropy for a token");
  }
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

bool same_token(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace davit::sim
