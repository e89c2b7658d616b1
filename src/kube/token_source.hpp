// TokenSource: the bearer token of the moment: a fixed text, or a file that the kubelet rotates.
//
//   TokenSource token(clock, "", "/var/run/secrets/kubernetes.io/serviceaccount/token");
//   header = "Bearer " + token.current();
//   if (status == 401) token.invalidate();      // the next current() reads the file again
//
// The file is read at most every 60 s (bound tokens live an hour and are replaced at 80 %), and
// after invalidate() at most once a second. While it cannot be read the last good token stays in
// use, and error() says why. One thread. The token never appears in an error.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace davit::kube {

class TokenSource {
 public:
  // The clock must outlive the source. A file, if named, wins over the text.
  TokenSource(const Clock& clock, std::string text, std::string file);

  // Empty: there is none (client certificates, or nothing at all).
  [[nodiscard]] std::string current();
  void invalidate();
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  void read();

  const Clock* clock_;
  std::string token_;
  std::string file_;
  std::optional<Monotonic> read_at_;
  bool stale_ = true;
  std::optional<Error> error_;
};

}  // namespace davit::kube
