#include "standin/blocknode/model/compression.hpp"

#include <zstd.h>

#include <memory>

namespace davit::standin {

namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

// Making one costs more than compressing a small block with it.
ZSTD_CCtx* context() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> kept(ZSTD_createCCtx());
  return kept.get();
}

}  // namespace

std::string compress_zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  constexpr int kLevel = 1;  // block content is noise; a higher level only costs memory
  const std::size_t size =
      ZSTD_compressCCtx(context(), out.data(), out.size(), bytes.data(), bytes.size(), kLevel);
  out.resize(ZSTD_isError(size) != 0U ? 0 : size);
  return out;
}

std::optional<std::string> decompress_zstd(std::string_view bytes) {
  constexpr unsigned long long kLargest = 1ULL << 31U;
  if (bytes.empty()) return std::string();
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kLargest) {
    return std::nullopt;
  }
  std::string out(size, '\0');
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got) != 0U || got != size) return std::nullopt;
  return out;
}

}  // namespace davit::standin
