// Digests: short, stable names for content. SHA-256, hexadecimal, cut.
//
// For change detection and for names; not for secrets. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace davit::blocknode {

// The first `digits` hexadecimal digits (at most 64) of SHA-256 of `text`.
[[nodiscard]] std::string digest(std::string_view text, std::size_t digits = 16);

}  // namespace davit::blocknode
