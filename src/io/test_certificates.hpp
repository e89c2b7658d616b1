// Certificates for tests, made on the spot: a CA and leaves it signs. Never expires during a run.
#pragma once

#include <string>
#include <vector>

namespace davit::io::testing {

struct Pair {
  std::string certificate;  // PEM
  std::string key;          // PEM
};

class TestCa {
 public:
  TestCa();
  [[nodiscard]] const std::string& certificate() const { return self_.certificate; }
  // `names` as OpenSSL writes them: "DNS:localhost", "IP:127.0.0.1". `valid` false: expired
  // yesterday.
  [[nodiscard]] Pair issue(const std::vector<std::string>& names, bool valid = true) const;

 private:
  Pair self_;
};

}  // namespace davit::io::testing
