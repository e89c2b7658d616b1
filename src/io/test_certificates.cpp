#include "io/test_certificates.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

namespace davit::io::testing {

namespace {

using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using X509Ptr = std::unique_ptr<X509, decltype(&X509_free)>;
using BioPtr = std::unique_ptr<BIO, decltype(&BIO_free_all)>;

constexpr long kDay = 86400;

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem(X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()), &BIO_free_all);
  PEM_write_bio_X509(bio.get(), certificate);
  return text_of(bio.get());
}

std::string pem(EVP_PKEY* key) {
  const BioPtr bio(BIO_new(BIO_s_mem()), &BIO_free_all);
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return text_of(bio.get());
}

void extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  if (extension == nullptr) throw std::runtime_error("bad extension " + value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

X509Ptr blank(EVP_PKEY* key, const char* common_name, bool valid) {
  static long serial = 1;
  X509Ptr certificate(X509_new(), &X509_free);
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -2 * kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), valid ? kDay : -kDay);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(common_name), -1, -1, 0);
  return certificate;
}

}  // namespace

TestCa::TestCa() {
  const KeyPtr key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const X509Ptr certificate = blank(key.get(), "test CA", true);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  extend(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  // Tells CAs of the same name apart, as Kubernetes' own do.
  extend(certificate.get(), certificate.get(), NID_subject_key_identifier, "hash");
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  self_ = {pem(certificate.get()), pem(key.get())};
}

Pair TestCa::issue(const std::vector<std::string>& names, bool valid) const {
  const BioPtr ca_bio(BIO_new_mem_buf(self_.certificate.data(), -1), &BIO_free_all);
  const X509Ptr ca(PEM_read_bio_X509(ca_bio.get(), nullptr, nullptr, nullptr), &X509_free);
  const BioPtr key_bio(BIO_new_mem_buf(self_.key.data(), -1), &BIO_free_all);
  const KeyPtr ca_key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr),
                      &EVP_PKEY_free);
  const KeyPtr key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const X509Ptr certificate = blank(key.get(), "test", valid);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(ca.get()));
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  extend(certificate.get(), ca.get(), NID_subject_alt_name, list);
  extend(certificate.get(), ca.get(), NID_authority_key_identifier, "keyid:always");
  X509_sign(certificate.get(), ca_key.get(), EVP_sha256());
  return {pem(certificate.get()), pem(key.get())};
}

}  // namespace davit::io::testing
