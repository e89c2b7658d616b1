#include "operands/blocknode/start/zstd_frame.hpp"

#include <array>
#include <cstdint>
#include <fstream>

namespace davit::blocknode::start {

namespace {

constexpr std::uint32_t kFrameMagic = 0xFD2FB528;
constexpr std::uint32_t kSkippableMagic = 0x184D2A50;  // low four bits vary

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file)
      : in_(file, std::ios::binary), size_(in_ ? std::filesystem::file_size(file) : 0) {}

  [[nodiscard]] bool opened() const { return in_.is_open(); }
  [[nodiscard]] std::uint64_t left() const { return size_ - at_; }

  // Little-endian unsigned of `bytes` (at most 4); false at the end of the file.
  bool read(unsigned bytes, std::uint32_t& value) {
    std::array<unsigned char, 4> raw{};
    if (left() < bytes) return false;
    in_.read(reinterpret_cast<char*>(raw.data()), bytes);
    value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= static_cast<std::uint32_t>(raw[i]) << (8 * i);
    at_ += bytes;
    return static_cast<bool>(in_);
  }
  bool skip(std::uint64_t bytes) {
    if (left() < bytes) return false;
    in_.seekg(static_cast<std::streamoff>(bytes), std::ios::cur);
    at_ += bytes;
    return static_cast<bool>(in_);
  }

 private:
  std::ifstream in_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
};

bool skip_frame_header(Reader& reader, bool& has_checksum) {
  std::uint32_t descriptor = 0;
  if (!reader.read(1, descriptor)) return false;
  const unsigned size_flag = descriptor >> 6;
  const bool single_segment = (descriptor & 0x20U) != 0;
  has_checksum = (descriptor & 0x04U) != 0;
  constexpr std::array<std::uint64_t, 4> kDictionaryBytes{0, 1, 2, 4};
  constexpr std::array<std::uint64_t, 4> kSizeBytes{0, 2, 4, 8};
  std::uint64_t bytes = kDictionaryBytes[descriptor & 0x03U] + kSizeBytes[size_flag];
  if (size_flag == 0 && single_segment) bytes += 1;
  if (!single_segment) bytes += 1;  // window descriptor
  return reader.skip(bytes);
}

bool skip_frame(Reader& reader) {
  bool has_checksum = false;
  if (!skip_frame_header(reader, has_checksum)) return false;
  for (bool last = false; !last;) {
    std::uint32_t header = 0;
    if (!reader.read(3, header)) return false;
    last = (header & 1U) != 0;
    const unsigned type = (header >> 1) & 3U;
    const std::uint64_t size = type == 1 ? 1 : header >> 3;  // 1: run-length, one byte stored
    if (!reader.skip(size)) return false;
  }
  return !has_checksum || reader.skip(4);
}

}  // namespace

Wholeness check_zstd_file(const std::filesystem::path& file) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(file, error);
  if (error) return Wholeness::kUnreadable;
  if (size == 0) return Wholeness::kEmpty;
  Reader reader(file);
  if (!reader.opened()) return Wholeness::kUnreadable;
  for (bool first = true; reader.left() > 0; first = false) {
    std::uint32_t magic = 0;
    if (!reader.read(4, magic)) return Wholeness::kCut;
    if ((magic & 0xFFFFFFF0U) == kSkippableMagic) {
      std::uint32_t bytes = 0;
      if (!reader.read(4, bytes) || !reader.skip(bytes)) return Wholeness::kCut;
    } else if (magic == kFrameMagic) {
      if (!skip_frame(reader)) return Wholeness::kCut;
    } else {
      return first ? Wholeness::kNotZstd : Wholeness::kCut;
    }
  }
  return Wholeness::kWhole;
}

}  // namespace davit::blocknode::start
