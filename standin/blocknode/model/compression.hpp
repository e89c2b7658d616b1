// zstd frames, as the server writes block files. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace davit::standin {

std::string compress_zstd(std::string_view bytes);
// Empty input gives empty output (a zero-byte block file reads as an empty block); a damaged or
// truncated frame gives nullopt.
std::optional<std::string> decompress_zstd(std::string_view bytes);

}  // namespace davit::standin
