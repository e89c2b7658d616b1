// testbed-provisioner: see provisioner.hpp.
#include <CLI/CLI.hpp>
#include <string>

#include "base/log.hpp"
#include "base/random.hpp"
#include "io/asio_loop.hpp"
#include "kube/config.hpp"
#include "kube/connect.hpp"
#include "testbed/provisioner/provisioner.hpp"

int main(int argc, char** argv) {
  std::string kubeconfig;
  std::string root;
  std::string node;
  CLI::App app("Gives claims of the testbed's storage classes volumes of their real size.");
  app.add_option("--kubeconfig", kubeconfig, "kubeconfig of an administrator")->required();
  app.add_option("--root", root, "folder for the volumes")->required();
  app.add_option("--node", node, "name of the node that holds them")->required();
  CLI11_PARSE(app, argc, argv);

  auto config =
      davit::kube::load_config(davit::kube::process_environment(), {.kubeconfig = kubeconfig});
  davit::io::AsioLoop loop;
  const davit::Logger log({}, loop);
  if (!config) {
    log.error("no way to the cluster", {{"error", config.error()}});
    return 1;
  }
  const auto transport = davit::kube::connect(loop, std::move(*config), "testbed-provisioner");
  davit::kube::Client client(*transport, loop);
  davit::SeededRandom random(davit::entropy_seed());
  davit::Metrics metrics;
  davit::testbed::Provisioner provisioner(client, random, metrics,
                                          davit::testbed::HostVolumes(root), node, log);
  davit::io::Scope scope(loop);
  loop.on_signal([&loop](int) { loop.stop(); });
  scope.spawn(provisioner.run());
  loop.run();
  return 0;
}
