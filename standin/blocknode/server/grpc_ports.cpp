#include "standin/blocknode/server/grpc_ports.hpp"

#include <grpcpp/server_builder.h>

#include "standin/blocknode/server/log.hpp"

namespace davit::standin {

GrpcPorts::GrpcPorts(NodeHost& host)
    : host_(host), publish_(host), subscribe_(host), access_(host), status_(host) {}

void GrpcPorts::open() {
  // port -> services; the main listener exists even when every service has moved away.
  std::map<std::int64_t, std::vector<grpc::Service*>> ports;
  host_.with([&](NodeModel& model) {
    const std::int64_t main = model.settings().number("SERVER_PORT");
    ports[main];
    const auto place = [&](const char* plugin, const char* setting, grpc::Service* service) {
      if (!model.has_plugin(plugin)) return;
      ports[model.settings().number_if_set(setting).value_or(main)].push_back(service);
    };
    place("stream-publisher", "PRODUCER_PORT", &publish_);
    place("stream-subscriber", "SUBSCRIBER_PORT", &subscribe_);
    place("block-access-service", "BLOCK_ACCESS_PORT", &access_);
    place("server-status", "SERVER_STATUS_PORT", &status_);
  });
  for (const auto& [port, services] : ports) open_port(port, services);
}

void GrpcPorts::open_port(std::int64_t port, const std::vector<grpc::Service*>& services) {
  grpc::ServerBuilder builder;
  int bound = 0;
  host_.with([&](NodeModel& model) {
    const Settings& settings = model.settings();
    const auto limit = static_cast<int>(settings.number("SERVER_MAX_MESSAGE_SIZE_BYTES"));
    builder.SetMaxReceiveMessageSize(limit);
    builder.SetMaxSendMessageSize(limit);
    builder.AddChannelArgument(
        GRPC_ARG_MAX_CONCURRENT_STREAMS,
        static_cast<int>(settings.number("SERVER_HTTP2_MAX_CONCURRENT_STREAMS")));
  });
  // Without this two servers would share one port in silence.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  for (grpc::Service* service : services) builder.RegisterService(service);
  if (services.empty()) builder.RegisterCallbackGenericService(&none_);
  if (port >= 1024 && port <= 65535) {
    builder.AddListeningPort("[::]:" + std::to_string(port), grpc::InsecureServerCredentials(),
                             &bound);
    auto server = builder.BuildAndStart();
    if (server && bound != 0) {
      servers_.push_back(std::move(server));
      return;
    }
  }
  write_log({LogLevel::kSevere, "io.helidon.webserver.LoomServer startIt",
             "Failed to start listener on port " + std::to_string(port)});
}

}  // namespace davit::standin
