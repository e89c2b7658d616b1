#include "sim/serve/kubeconfig.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "wire/base64.hpp"
#include "wire/yaml.hpp"

namespace davit::sim {

namespace {

auto failed(const std::string& what) {
  return fail(Code::kInvalid, fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

std::string kubeconfig(const Access& access, const std::string& ns) {
  const std::string name = "davit-sim";
  const std::string server = fmt::format("https://127.0.0.1:{}", access.port);
  const json::object cluster{{"server", server},
                             {"certificate-authority-data", wire::base64_encode(access.ca)}};
  return wire::to_yaml(json::object{
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"clusters", json::array{json::object{{"name", name}, {"cluster", cluster}}}},
      {"users",
       json::array{json::object{{"name", name}, {"user", json::object{{"token", access.token}}}}}},
      {"contexts",
       json::array{json::object{
           {"name", name},
           {"context", json::object{{"cluster", name}, {"user", name}, {"namespace", ns}}}}}},
      {"current-context", name}});
}

Status write_private(const std::string& path, const std::string& text) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty() && std::filesystem::create_directories(folder, error)) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  }
  // Made anew: a file that is there may have wider permissions, or be a link.
  std::filesystem::remove(path, error);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return failed("cannot write " + path);
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written < 0) {
      const int why = errno;
      ::close(file);
      errno = why;
      return failed("cannot write " + path);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  ::close(file);
  return {};
}

Result<PrivateFolder> PrivateFolder::make() {
  std::error_code error;
  const std::filesystem::path base = std::filesystem::temp_directory_path(error);
  std::string path = (base / "davit-sim-XXXXXX").string();
  // mkdtemp makes it with mode 0700.
  if (error || ::mkdtemp(path.data()) == nullptr) return failed("cannot make a folder " + path);
  return PrivateFolder(std::move(path));
}

PrivateFolder::~PrivateFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace davit::sim
