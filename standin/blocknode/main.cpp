// blocknode-standin: a Block Node's outward behaviour, and the two peers it needs in a test.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "standin/blocknode/server/serve.hpp"
#include "standin/blocknode/tools/publish.hpp"
#include "standin/blocknode/tools/subscribe.hpp"

int main(int argc, char** argv) {
  namespace standin = davit::standin;
  CLI::App app("Stand-in of a Hiero Block Node");
  app.require_subcommand(1);

  const auto* serve = app.add_subcommand("serve", "run a node; settings come from the environment");

  standin::PublishOptions publish;
  auto* publish_command = app.add_subcommand("publish", "stream blocks to a node");
  publish_command->add_option("--to", publish.to, "publish service, host:port")->required();
  publish_command->add_option("--access", publish.access, "getBlock service, if elsewhere");
  publish_command->add_option("--status", publish.status, "serverStatus, if elsewhere");
  publish_command->add_option("--rate", publish.rate, "blocks a second, 0 = as acknowledged");
  publish_command->add_option("--size", publish.size, "bytes of transactions in a block")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{100'000'000}));
  publish_command->add_option("--count", publish.count, "stop after so many acknowledged blocks");
  publish_command->add_option("--blocks-from", publish.blocks_from, "auto, genesis or a number");
  publish_command->add_option("--seed", publish.seed, "which chain; equal seeds, equal blocks");
  publish_command->add_option("--interval", publish.interval, "seconds between progress lines");
  publish_command->add_option("--in-flight", publish.in_flight, "blocks not yet acknowledged")
      ->check(CLI::Range(1, 10'000));

  standin::SubscribeOptions subscribe;
  auto* subscribe_command = app.add_subcommand("subscribe", "read blocks back and verify them");
  subscribe_command->add_option("--from", subscribe.from, "subscribe service, host:port")
      ->required();
  subscribe_command->add_option("--status", subscribe.status, "serverStatus, if elsewhere");
  subscribe_command->add_option("--first", subscribe.first, "default: the node's first block");
  subscribe_command->add_option("--last", subscribe.last, "default: the node's last block now");
  bool until_live = false;
  subscribe_command->add_flag("--until-live", until_live,
                              "read up to the node's newest block (the default)");
  subscribe_command->add_flag("--follow", subscribe.follow, "go on until interrupted");
  subscribe_command->add_option("--seed", subscribe.seed, "which chain");

  CLI11_PARSE(app, argc, argv);
  if (serve->parsed()) return standin::serve();
  if (publish_command->parsed()) return standin::publish(publish);
  return standin::subscribe(subscribe);
}
