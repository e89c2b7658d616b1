#include "wire/base64.hpp"

#include <cstdint>

namespace davit::wire {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : bytes) {
    group = (group << 8) | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6;) {
      bits -= 6;
      out += kAlphabet[(group >> bits) & 63];
    }
  }
  if (bits > 0) out += kAlphabet[(group << (6 - bits)) & 63];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

Result<std::string> base64_decode(std::string_view text) {
  std::string out;
  std::uint32_t group = 0;
  int bits = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos || padding > 0) return fail(Code::kInvalid, "not base64");
    group = (group << 6) | static_cast<std::uint32_t>(value);
    ++digits;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += static_cast<char>((group >> bits) & 255);
    }
  }
  const std::uint32_t rest = group & ((1U << bits) - 1);
  if (digits % 4 == 1 || rest != 0 || padding > 2 || (padding > 0 && (digits + padding) % 4 != 0)) {
    return fail(Code::kInvalid, "not base64: cut or padded wrongly");
  }
  return out;
}

}  // namespace davit::wire
