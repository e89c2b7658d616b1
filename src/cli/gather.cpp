#include "cli/gather.hpp"

#include <algorithm>
#include <utility>

#include "operands/blocknode/types.hpp"

namespace davit::cli {

namespace {

io::Task<std::vector<json::object>> list_or_note(kube::Client& client, kube::Resource resource,
                                                 std::string ns, std::string selector,
                                                 std::vector<std::string>& problems) {
  auto list = co_await client.list_all(resource, std::move(ns), {.label_selector = selector});
  if (list) co_return std::move(list->items);
  problems.push_back(std::string(resource.plural) +
                     " could not be read: " + list.error().describe());
  co_return std::vector<json::object>{};
}

}  // namespace

io::Task<Result<Gathered>> gather(kube::Client& client, ObjectKey node) {
  Gathered all;
  auto object = co_await client.get(blocknode::kBlockNodes, node);
  if (!object) co_return fail(std::move(object.error()));
  all.facts.node = std::move(*object);
  const std::string selector = "davit.hiero.org/blocknode=" + node.name;
  all.facts.pods = co_await list_or_note(client, kube::kPods, node.ns, selector, all.problems);
  all.facts.claims =
      co_await list_or_note(client, kube::kPersistentVolumeClaims, node.ns, selector, all.problems);
  for (const kube::Resource& resource : {kube::kStatefulSets, kube::kServices, kube::kConfigMaps,
                                         kube::kServiceAccounts, kube::kPodDisruptionBudgets}) {
    auto items = co_await list_or_note(client, resource, node.ns, selector, all.problems);
    for (json::object& item : items) all.children.push_back(std::move(item));
  }
  auto events = co_await list_or_note(client, kube::kEvents, node.ns, {}, all.problems);
  for (json::object& event : events) {
    const std::string_view about = wire::find_string(event, "regarding.name");
    const bool child = about == node.name || about.starts_with(node.name + "-");
    if (child) all.facts.events.push_back(std::move(event));
  }
  std::ranges::sort(all.facts.events, {}, [](const json::object& event) {
    return std::pair(wire::find_string(event, "metadata.creationTimestamp"),
                     wire::find_string(event, "metadata.name"));
  });
  co_return all;
}

}  // namespace davit::cli
