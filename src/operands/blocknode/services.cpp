// Two Services: `<name>` for clients, by spec.exposure; `<name>-headless` for Davit, Prometheus and
// peers, which want the pod's address whether it is ready or not.
#include "operands/blocknode/build.hpp"
#include "operands/blocknode/child.hpp"
#include "operands/blocknode/names.hpp"
#include "operands/blocknode/ports.hpp"

namespace davit::blocknode {

namespace {

json::object service_port(std::string_view name, std::uint16_t number) {
  // appProtocol tells gateways and meshes that gRPC goes over HTTP/2 without TLS.
  json::object port{{"name", name}, {"port", number}, {"protocol", "TCP"}, {"targetPort", name}};
  if (name != "health" && name != "metrics" && name != "agent") {
    port["appProtocol"] = "kubernetes.io/h2c";
  }
  return port;
}

}  // namespace

json::object build_client_service(const BuildInput& in) {
  const BlockNode& node = *in.node;
  json::object service = child(node, kube::kServices, service_name(node.key));
  if (!node.spec.exposure.annotations.empty()) {
    service["metadata"].as_object()["annotations"] = to_json(node.spec.exposure.annotations);
  }
  json::array ports;
  for (const Port& port : server_ports(node.spec)) {
    if (port.client) ports.push_back(service_port(port.name, port.number));
  }
  service["spec"] = json::object{{"type", node.spec.exposure.type},
                                 {"selector", to_json(pod_selector(node.key))},
                                 {"ports", std::move(ports)}};
  return service;
}

json::object build_headless_service(const BuildInput& in) {
  const BlockNode& node = *in.node;
  json::object service = child(node, kube::kServices, headless_name(node.key));
  json::array ports;
  for (const Port& port : server_ports(node.spec)) {
    ports.push_back(service_port(port.name, port.number));
  }
  ports.push_back(service_port("agent", kAgentPort));
  service["spec"] = json::object{{"clusterIP", "None"},
                                 {"publishNotReadyAddresses", true},
                                 {"selector", to_json(pod_selector(node.key))},
                                 {"ports", std::move(ports)}};
  return service;
}

}  // namespace davit::blocknode
