#include "kube/auth_transport.hpp"

#include <utility>

namespace davit::kube {

namespace {

constexpr unsigned kUnauthorized = 401;

}  // namespace

AuthTransport::AuthTransport(std::unique_ptr<io::Transport> inner,
                             std::shared_ptr<TokenSource> token, std::string path_prefix)
    : inner_(std::move(inner)), token_(std::move(token)), path_prefix_(std::move(path_prefix)) {}

bool AuthTransport::refresh(const std::string& refused) {
  token_->invalidate();
  return token_->current() != refused;
}

io::Task<Result<io::HttpResponse>> AuthTransport::send(io::HttpRequest request,
                                                       io::Deadline deadline) {
  request.target.insert(0, path_prefix_);
  const std::string used = token_->current();
  auto response = co_await inner_->send(request, deadline);
  if (response && response->status == kUnauthorized && refresh(used)) {
    response = co_await inner_->send(std::move(request), deadline);
  }
  co_return response;
}

io::Task<Result<io::StreamingResponse>> AuthTransport::open(io::HttpRequest request,
                                                            io::Deadline deadline) {
  request.target.insert(0, path_prefix_);
  const std::string used = token_->current();
  auto response = co_await inner_->open(request, deadline);
  if (response && response->status == kUnauthorized && refresh(used)) {
    response->body.reset();
    response = co_await inner_->open(std::move(request), deadline);
  }
  co_return response;
}

}  // namespace davit::kube
