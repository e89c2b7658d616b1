#include "standin/blocknode/model/block_paths.hpp"

#include <algorithm>
#include <charconv>

namespace davit::standin {
namespace {

constexpr std::size_t kDigits = 19;

std::string padded(BlockNumber block) {
  const std::string digits = std::to_string(block);
  return digits.size() >= kDigits ? digits : std::string(kDigits - digits.size(), '0') + digits;
}

// "0000000" in groups of three -> "000/000/0/"
std::string levels(std::string_view digits, std::size_t per_level) {
  std::string out;
  for (std::size_t at = 0; at < digits.size(); at += per_level) {
    out.append(digits.substr(at, per_level));
    out.push_back('/');
  }
  return out;
}

std::optional<BlockNumber> parse(std::string_view digits) {
  BlockNumber value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::string block_file_name(BlockNumber block, const BlockLayout& layout) {
  return padded(block) + (layout.compressed ? ".blk.zstd" : ".blk");
}

std::string block_path(BlockNumber block, const BlockLayout& layout) {
  const auto level = static_cast<std::size_t>(std::clamp(layout.digits_per_level, 1, 18));
  const std::string digits = padded(block);
  return levels(std::string_view(digits).substr(0, kDigits - level), level) +
         block_file_name(block, layout);
}

std::optional<BlockNumber> block_of_file(std::string_view name) {
  const auto dot = name.find('.');
  if (dot != kDigits) return std::nullopt;
  const std::string_view extension = name.substr(dot);
  if (extension != ".blk" && extension != ".blk.zstd") return std::nullopt;
  return parse(name.substr(0, dot));
}

BlockNumber blocks_per_zip(int power) {
  BlockNumber count = 1;
  for (int i = 0; i < power; ++i) count *= 10;
  return count;
}

std::string zip_path(BlockNumber first, int power) {
  const auto zeros = static_cast<std::size_t>(power);
  const std::string digits = padded(first);
  const std::size_t leading = kDigits - zeros - 1;
  return levels(std::string_view(digits).substr(0, leading), 3) + digits[leading] +
         std::string(zeros, '0') + ".zip";
}

std::optional<BlockNumber> first_block_of_zip(std::string_view path, int power) {
  if (!path.ends_with(".zip")) return std::nullopt;
  std::string digits;
  std::ranges::copy_if(path.substr(0, path.size() - 4), std::back_inserter(digits),
                       [](char c) { return c != '/'; });
  if (digits.size() != kDigits) return std::nullopt;
  const auto first = parse(digits);
  if (!first || *first % blocks_per_zip(power) != 0) return std::nullopt;
  return first;
}

}  // namespace davit::standin
