#include "kube/text.hpp"

#include <cstdint>

namespace davit::kube {

namespace {

// Length of the UTF-8 character at the front; 0 when it is none (RFC 3629).
std::size_t character_length(std::string_view text) {
  const auto byte = [text](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&byte](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) >= 0xa0;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && byte(1) < 0x90;
    const bool beyond = first == 0xf4 && byte(1) >= 0x90;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string fit_text(std::string_view text, std::size_t limit) {
  constexpr std::string_view kMore = "...";
  std::string out;
  std::size_t room_for_more = 0;  // size of `out` up to which kMore would still fit
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::size_t taken = length == 0 ? 1 : length;
    if (out.size() + taken > limit) {
      out.resize(room_for_more);
      if (limit >= kMore.size()) out += kMore;
      return out;
    }
    out += length == 0 ? "?" : text.substr(0, length);
    text.remove_prefix(taken);
    if (out.size() + kMore.size() <= limit) room_for_more = out.size();
  }
  return out;
}

}  // namespace davit::kube
