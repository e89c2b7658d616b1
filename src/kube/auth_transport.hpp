// AuthTransport: what a Kubernetes connection needs beside bytes: the server's path prefix, and a
// second try with a fresh token after a 401.
//
// A 401 means that nothing was done, so any request may be sent again. Owns the inner transport,
// and shares the TokenSource with whoever adds its token to requests. One thread.
#pragma once

#include <memory>
#include <string>

#include "io/http.hpp"
#include "kube/token_source.hpp"

namespace davit::kube {

class AuthTransport final : public io::Transport {
 public:
  AuthTransport(std::unique_ptr<io::Transport> inner, std::shared_ptr<TokenSource> token,
                std::string path_prefix);

  io::Task<Result<io::HttpResponse>> send(io::HttpRequest request, io::Deadline deadline) override;
  io::Task<Result<io::StreamingResponse>> open(io::HttpRequest request,
                                               io::Deadline deadline) override;

 private:
  // True when there is another token to try than the one that was refused.
  bool refresh(const std::string& refused);

  std::unique_ptr<io::Transport> inner_;
  std::shared_ptr<TokenSource> token_;
  std::string path_prefix_;
};

}  // namespace davit::kube
