// The server's configuration: ConfigMap `<name>-config` is its environment, `<name>-files` is
// mounted.
//
// Davit's own keys win over spec.extraConfig where the node could not work otherwise (version,
// ports); JAVA_TOOL_OPTIONS of the user are appended to Davit's. Facts: blocknode.md §0, §3.1,
// §3.2, §6.6.
#include "operands/blocknode/build.hpp"
#include "operands/blocknode/child.hpp"
#include "operands/blocknode/digest.hpp"
#include "operands/blocknode/names.hpp"
#include "operands/blocknode/ports.hpp"
#include "operands/blocknode/settings.hpp"

namespace davit::blocknode {

namespace {

constexpr std::string_view kToolOptions =
    "-Djava.util.logging.config.file=/etc/davit/logging.properties";

// java.util.logging, plain text, on the console and in five files of 5 MB on the logs volume.
constexpr std::string_view kLogging = R"(.level=INFO
io.helidon.config.level=SEVERE
com.sun.net.httpserver.level=WARNING
handlers=java.util.logging.ConsoleHandler,java.util.logging.FileHandler
java.util.logging.ConsoleHandler.level=ALL
java.util.logging.ConsoleHandler.formatter=java.util.logging.SimpleFormatter
java.util.logging.FileHandler.level=ALL
java.util.logging.FileHandler.pattern=/opt/hiero/block-node/logs/blocknode-%g.log
java.util.logging.FileHandler.append=true
java.util.logging.FileHandler.limit=5000000
java.util.logging.FileHandler.count=5
java.util.logging.FileHandler.formatter=java.util.logging.SimpleFormatter
java.util.logging.SimpleFormatter.format=%TF %<TT.%<TL%<Tz %4$-7s [%2$s] %5$s%6$s%n
)";

std::map<std::string, std::string> environment(const BuildInput& in) {
  const BlockNodeSpec& spec = in.node->spec;
  std::map<std::string, std::string> env;
  for (const auto& [key, value] : spec.extra_config) env[environment_name(key)] = value;
  env["JAVA_OPTS"] = in.java_opts;  // with the user's own inside
  env["VERSION"] = spec.version;
  for (const Port& port : server_ports(spec)) {
    if (!port.setting.empty()) env[std::string(port.setting)] = std::to_string(port.number);
  }
  std::string& tool_options = env["JAVA_TOOL_OPTIONS"];
  tool_options = tool_options.empty() ? std::string(kToolOptions)
                                      : std::string(kToolOptions) + " " + tool_options;
  return env;
}

}  // namespace

json::object build_configmap(const BuildInput& in) {
  json::object map = child(*in.node, kube::kConfigMaps, configmap_name(in.node->key));
  map["data"] = to_json(environment(in));
  return map;
}

json::object build_files(const BuildInput& in) {
  json::object map = child(*in.node, kube::kConfigMaps, files_name(in.node->key));
  map["data"] = json::object{{"logging.properties", kLogging}};
  return map;
}

std::string config_digest(const BuildInput& in) {
  return digest(wire::canonical(build_configmap(in)["data"]) +
                wire::canonical(build_files(in)["data"]));
}

}  // namespace davit::blocknode
