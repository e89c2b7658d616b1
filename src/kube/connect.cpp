#include "kube/connect.hpp"

#include "kube/auth_transport.hpp"

namespace davit::kube {

std::unique_ptr<io::Transport> connect(io::AsioLoop& loop, ClusterConfig config,
                                       std::string user_agent) {
  auto token =
      std::make_shared<TokenSource>(loop, std::move(config.token), std::move(config.token_file));
  io::HttpTransportConfig http;
  http.host = std::move(config.host);
  http.port = config.port;
  http.tls = std::move(config.tls);
  http.bearer_token = [token] { return token->current(); };
  http.user_agent = std::move(user_agent);
  auto transport = std::make_unique<io::HttpTransport>(loop, std::move(http));
  return std::make_unique<AuthTransport>(std::move(transport), std::move(token),
                                         std::move(config.path_prefix));
}

}  // namespace davit::kube
