#include "operands/blocknode/digest.hpp"

#include <openssl/sha.h>

#include <algorithm>
#include <array>

namespace davit::blocknode {

std::string digest(std::string_view text, std::size_t digits) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> bytes{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), bytes.data());
  std::string hex;
  for (const unsigned char byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 15U];
  }
  hex.resize(std::min(digits, hex.size()));
  return hex;
}

}  // namespace davit::blocknode
