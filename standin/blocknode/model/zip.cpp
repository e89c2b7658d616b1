#include "standin/blocknode/model/zip.hpp"

#include <zlib.h>

#include <utility>

namespace davit::standin {
namespace {

constexpr std::uint32_t kLocalMark = 0x04034b50;
constexpr std::uint32_t kDirectoryMark = 0x02014b50;
constexpr std::uint32_t kEndMark = 0x06054b50;
constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kRecordSize = 46;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kPieceBytes = 256 * 1024;
constexpr std::uint32_t kDosDate = 0x5c21;  // 2026-01-01: the content alone decides the bytes

void put16(std::string& out, std::uint32_t value) {
  out.push_back(static_cast<char>(value & 0xffU));
  out.push_back(static_cast<char>((value >> 8U) & 0xffU));
}

void put32(std::string& out, std::uint32_t value) {
  put16(out, value & 0xffffU);
  put16(out, value >> 16U);
}

std::uint32_t get16(std::string_view in, std::size_t at) {
  return static_cast<std::uint32_t>(static_cast<unsigned char>(in[at])) |
         static_cast<std::uint32_t>(static_cast<unsigned char>(in[at + 1])) << 8U;
}

std::uint32_t get32(std::string_view in, std::size_t at) {
  return get16(in, at) | get16(in, at + 2) << 16U;
}

// The part that local header and directory record have in common.
void put_common(std::string& out, std::uint32_t crc, std::uint32_t size, std::size_t name_size) {
  put16(out, 20);  // version needed
  put16(out, 0);   // flags
  put16(out, 0);   // stored
  put16(out, 0);   // time
  put16(out, kDosDate);
  put32(out, crc);
  put32(out, size);
  put32(out, size);
  put16(out, static_cast<std::uint32_t>(name_size));
  put16(out, 0);  // extra field
}

}  // namespace

VolumeResult<void> ZipWriter::add(std::string_view name, std::string_view bytes) {
  const auto crc = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
  const auto size = static_cast<std::uint32_t>(bytes.size());

  put32(directory_, kDirectoryMark);
  put16(directory_, 20);  // made by
  put_common(directory_, crc, size, name.size());
  put16(directory_, 0);  // comment
  put16(directory_, 0);  // disk
  put16(directory_, 0);  // internal attributes
  put32(directory_, 0);  // external attributes
  put32(directory_, offset_);
  directory_.append(name);

  put32(pending_, kLocalMark);
  put_common(pending_, crc, size, name.size());
  pending_.append(name).append(bytes);
  offset_ += static_cast<std::uint32_t>(kLocalSize + name.size()) + size;
  ++entries_;
  if (pending_.size() < kPieceBytes) return {};
  const auto written = volume_.append(path_, pending_);
  pending_.clear();
  return written;
}

VolumeResult<std::uint64_t> ZipWriter::finish() {
  const std::string directory = std::exchange(directory_, {});
  pending_.append(directory);
  put32(pending_, kEndMark);
  put16(pending_, 0);
  put16(pending_, 0);
  const std::uint32_t shown = entries_ < 0xffffU ? entries_ : 0xffffU;
  put16(pending_, shown);
  put16(pending_, shown);
  put32(pending_, static_cast<std::uint32_t>(directory.size()));
  put32(pending_, offset_);
  put16(pending_, 0);
  if (auto written = volume_.append(path_, pending_); !written) {
    return std::unexpected(written.error());
  }
  return offset_ + directory.size() + kEndSize;
}

VolumeResult<ZipIndex> read_zip_index(const Volume& volume, const std::string& path) {
  const auto damaged = std::unexpected(std::errc::illegal_byte_sequence);
  const auto size = volume.size(path);
  if (!size) return std::unexpected(size.error());
  if (*size < kEndSize) return damaged;
  const auto end = volume.read_at(path, *size - kEndSize, kEndSize);
  if (!end || end->size() < kEndSize || get32(*end, 0) != kEndMark) return damaged;
  const std::uint64_t length = get32(*end, 12);
  const std::uint64_t offset = get32(*end, 16);
  if (offset + length + kEndSize != *size) return damaged;
  const auto directory = volume.read_at(path, offset, length);
  if (!directory || directory->size() != length) return damaged;

  ZipIndex index;
  for (std::size_t at = 0; at + kRecordSize <= directory->size();) {
    if (get32(*directory, at) != kDirectoryMark) return damaged;
    const std::size_t name_size = get16(*directory, at + 28);
    const std::size_t rest = get16(*directory, at + 30) + get16(*directory, at + 32);
    if (at + kRecordSize + name_size > directory->size()) return damaged;
    const std::string name = directory->substr(at + kRecordSize, name_size);
    // The local header repeats the name and, in files of ours, has no extra field.
    index[name] = {get32(*directory, at + 42) + kLocalSize + name_size, get32(*directory, at + 24)};
    at += kRecordSize + name_size + rest;
  }
  return index;
}

}  // namespace davit::standin
