#include "kube/file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace davit::kube {

Result<std::string> read_file(const std::string& path) {
  constexpr std::size_t kLimit = std::size_t{10} << 20;
  const auto failed = [&path](int number) {
    return fail(number == ENOENT || number == ENOTDIR ? Code::kNotFound : Code::kInvalid,
                "cannot read " + path + ": " + std::generic_category().message(number));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  if (!file) return failed(errno);
  std::string content;
  std::array<char, 16384> piece{};
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get())) {
    content.append(piece.data(), count);
    if (content.size() > kLimit) return fail(Code::kInvalid, path + " is larger than 10 MiB");
  }
  if (std::ferror(file.get()) != 0) return failed(errno);
  return content;
}

}  // namespace davit::kube
