// A certificate authority for one run of the server, and the certificate it signs for it.
//
//   auto made = make_server_certificates({"DNS:localhost", "IP:127.0.0.1"}, system_clock_now);
//
// ECDSA P-256, in memory only; the CA's key is thrown away once it has signed. Valid from a day
// before `now` (clocks differ) for a year. Fails with kInternal when OpenSSL cannot.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace davit::sim {

struct ServerCertificates {
  std::string ca;           // PEM
  std::string certificate;  // PEM
  std::string key;          // PEM
};

// `names` as OpenSSL writes them.
[[nodiscard]] Result<ServerCertificates> make_server_certificates(
    const std::vector<std::string>& names, WallTime now);

// 256 bits from the system's entropy, in hexadecimal.
[[nodiscard]] Result<std::string> make_token();
// Takes as long for a wrong token as for the right one.
[[nodiscard]] bool same_token(std::string_view a, std::string_view b);

}  // namespace davit::sim
