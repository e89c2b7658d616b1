#include "app/operator_command.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "app/endpoints.hpp"
#include "app/operator.hpp"
#include "app/version.hpp"
#include "io/asio_loop.hpp"
#include "io/http_server.hpp"
#include "io/loop_lag.hpp"
#include "kube/config.hpp"
#include "kube/connect.hpp"
#include "operands/blocknode/probe_client.hpp"

namespace davit::app {

namespace {

inline constexpr MetricDef kLoopLag{.name = "davit_loop_lag_seconds",
                                    .help = "How late the event loop runs what is due.",
                                    .unit = "seconds",
                                    .type = MetricType::kHistogram};
inline constexpr MetricDef kBuildInfo{
    .name = "davit_build_info", .help = "1, with the version as a label.", .labels = {"version"}};

struct Flags {
  std::string kubeconfig;
  std::string context;
  std::string ns;
  std::string default_image = blocknode::Settings{}.default_repository;
  std::string davit_image;
  double ready_hold_seconds = 60;
  bool leader_election = true;
  std::uint16_t health_port = 8081;
  std::uint16_t metrics_port = 8080;
  std::string log_level = "info";
  bool log_json = false;
};

std::string environment(const char* name, std::string fallback) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value == nullptr || *value == '\0' ? std::move(fallback) : value;
}

OperatorOptions options_from(const Flags& flags, const std::string& own_namespace) {
  OperatorOptions options;
  options.identity = environment("POD_NAME", "davit");
  options.ns = own_namespace;
  options.leader_election = flags.leader_election;
  options.blocknode.ns = flags.ns;
  options.blocknode.settings.default_repository = flags.default_image;
  options.blocknode.settings.davit_image = flags.davit_image;
  options.blocknode.settings.hold =
      std::chrono::milliseconds(static_cast<long>(flags.ready_hold_seconds * 1000));
  return options;
}

Result<std::unique_ptr<io::HttpServer>> serve(io::AsioLoop& loop, std::uint16_t port,
                                              const Endpoints& endpoints) {
  return io::HttpServer::listen(
      loop, {.address = "0.0.0.0", .port = port},
      [&endpoints](io::HttpRequest request) -> io::Task<io::HttpResponse> {
        co_return endpoints.answer(request);
      });
}

io::Task<void> release_and_stop(io::AsioLoop& loop, Operator& davit) {
  co_await davit.release();
  loop.stop();
}

int run(const Flags& flags) {
  io::AsioLoop loop;
  const auto level = parse_log_level(flags.log_level);
  Logger log({.level = level.value_or(LogLevel::kInfo),
              .format = flags.log_json ? LogFormat::kJson : LogFormat::kLogfmt},
             loop);
  auto config = kube::load_config(kube::process_environment(),
                                  {.kubeconfig = flags.kubeconfig, .context = flags.context});
  if (!config) {
    log.error("no way to the API server", {{"error", config.error()}});
    return 1;
  }
  const std::string own_namespace = environment("POD_NAMESPACE", config->ns);
  log.info("davit starts", {{"version", kVersion}, {"cluster", config->origin}});
  const auto transport = kube::connect(loop, std::move(*config), "davit/" + std::string(kVersion));

  SeededRandom random(entropy_seed());
  Metrics metrics;
  metrics.gauge(kBuildInfo, {std::string(kVersion)}).set(1);
  const io::LoopLag lag(loop, std::chrono::seconds(1), [&metrics](Duration late) {
    metrics.histogram(kLoopLag).observe(std::chrono::duration<double>(late).count());
  });
  blocknode::ProbeClient probe(loop);
  Operator davit({loop, random, metrics, *transport, probe, log},
                 options_from(flags, own_namespace));
  const Endpoints endpoints{loop, metrics, [&davit] { return davit.what_is_not_synced(); }};
  auto health = serve(loop, flags.health_port, endpoints);
  auto scrapes = serve(loop, flags.metrics_port, endpoints);
  for (const auto* server : {&health, &scrapes}) {
    if (!*server) {
      log.error("cannot listen", {{"error", server->error()}});
      return 1;
    }
  }

  io::Scope scope(loop, [&log, &loop](std::exception_ptr) {
    log.error("a bug in Davit ended its work; the kubelet starts it again");
    loop.stop();
  });
  io::Scope farewell(loop);
  loop.on_signal([&](int) {
    log.info("davit ends");
    loop.call_after(std::chrono::seconds(5), [&loop] { loop.stop(); });
    farewell.spawn(release_and_stop(loop, davit));
  });
  scope.spawn(davit.run());
  loop.run();
  return 0;
}

}  // namespace

void add_operator_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("operator", "keeps BlockNodes as their specs say");
  command->add_option("--kubeconfig", flags->kubeconfig, "kubeconfig; else the pod's own account");
  command->add_option("--context", flags->context, "context of the kubeconfig");
  command->add_option("--namespace", flags->ns, "only this namespace; else all of them");
  command->add_option("--default-image", flags->default_image,
                      "repository of the Block Node's image where a spec names none");
  command->add_option("--davit-image", flags->davit_image,
                      "this Davit's own image: what the wrapper and the agent in new pods run");
  command
      ->add_option("--ready-hold", flags->ready_hold_seconds,
                   "seconds that every check must pass before a node is Ready")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--leader-election", flags->leader_election, "one of several Davits works")
      ->capture_default_str();
  command->add_option("--health-port", flags->health_port, "/healthz and /readyz")
      ->capture_default_str();
  command->add_option("--metrics-port", flags->metrics_port, "/metrics")->capture_default_str();
  command->add_option("--log-level", flags->log_level, "debug, info, warn, error, off")
      ->check(CLI::IsMember({"debug", "info", "warn", "error", "off"}))
      ->capture_default_str();
  command->add_flag("--log-json", flags->log_json, "one JSON object a line instead of logfmt");
  command->callback([flags, &exit_code] {
    if (flags->davit_image.empty()) {
      throw CLI::RequiredError("--davit-image (the image this operator was started from)");
    }
    exit_code = run(*flags);
  });
}

}  // namespace davit::app
