// The kubeconfig of the simulated cluster, and the private file it is kept in.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.hpp"

namespace davit::sim {

struct Access {
  std::uint16_t port = 0;
  std::string ca;     // PEM
  std::string token;  // of the administrator
};

// YAML; one context, "davit-sim", in namespace `ns`.
[[nodiscard]] std::string kubeconfig(const Access& access, const std::string& ns);

// A file only its owner may read, in a folder only its owner may enter; both are made where
// missing. kInvalid with the system's words when that fails.
[[nodiscard]] Status write_private(const std::string& path, const std::string& text);

// A new private folder for one run, "/tmp/davit-sim-x7Qa2b"; removed with all it holds by the
// destructor.
class PrivateFolder {
 public:
  [[nodiscard]] static Result<PrivateFolder> make();
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateFolder& operator=(PrivateFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~PrivateFolder();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace davit::sim
