#include "cli/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>

#include "cli/gather.hpp"
#include "operands/blocknode/layout.hpp"

namespace davit::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMask = "********";

bool names_a_secret(std::string_view name) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  constexpr std::array<std::string_view, 5> kWords{"SECRET", "ACCESS_KEY", "ACCESSKEY", "TOKEN",
                                                   "PASSWORD"};
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return upper.find(word) != std::string::npos; });
}

Status write_file(const fs::path& path, std::string_view text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream out(path, std::ios::trunc | std::ios::binary);
  out << text;
  out.close();
  if (error || !out) return fail(Code::kUnavailable, "cannot write " + path.string());
  return {};
}

Status write_object(const fs::path& folder, json::object object) {
  const std::string name =
      fmt::format("{}-{}.json", wire::find_string(object, "kind"), kube::key_of(object).name);
  if (json::object* metadata = object["metadata"].if_object()) metadata->erase("managedFields");
  json::value value(std::move(object));
  mask_object(value);
  return write_file(folder / "objects" / name, wire::pretty(value));
}

io::Task<void> add_logs(kube::Client& client, const json::object& pod, const fs::path& folder,
                        std::vector<std::string>& problems) {
  const ObjectKey key = kube::key_of(pod);
  for (const std::string_view list : {"spec.initContainers", "spec.containers"}) {
    const json::array* containers = wire::find_array(pod, list);
    if (containers == nullptr) continue;
    for (const json::value& container : *containers) {
      const std::string name(wire::find_string(container.as_object(), "name"));
      for (const bool previous : {false, true}) {
        auto text = co_await client.raw(
            "GET", fmt::format("/api/v1/namespaces/{}/pods/{}/log?container={}&tailLines=2000{}",
                               key.ns, key.name, name, previous ? "&previous=true" : ""));
        const std::string file =
            fmt::format("{}-{}{}.log", key.name, name, previous ? "-previous" : "");
        if (text) {
          (void)write_file(folder / "logs" / file, mask_text(std::move(*text)));
        } else if (!previous) {
          problems.push_back(file + ": " + text.error().describe());
        }
      }
    }
  }
}

io::Task<void> add_metrics(kube::Client& client, const json::object& pod, const fs::path& folder,
                           std::vector<std::string>& problems) {
  const ObjectKey key = kube::key_of(pod);
  const auto through = [&](std::uint16_t port, std::string_view path) {
    return client.raw("GET", fmt::format("/api/v1/namespaces/{}/pods/{}:{}/proxy/{}", key.ns,
                                         key.name, port, path));
  };
  auto metrics = co_await through(blocknode::kMetricsPort, "metrics");
  if (metrics) {
    (void)write_file(folder / "metrics" / (key.name + ".txt"), *metrics);
  } else {
    problems.push_back("metrics of " + key.name + ": " + metrics.error().describe());
  }
  auto agent = co_await through(blocknode::kAgentPort, "report");
  if (agent) {
    (void)write_file(folder / "agent" / (key.name + ".json"), *agent);
  } else {
    problems.push_back("agent of " + key.name + ": " + agent.error().describe());
  }
}

}  // namespace

std::string mask_text(std::string text) {
  static const std::regex kAssignment(
      R"re(("?[A-Za-z0-9_.]*(?:SECRET|ACCESS_?KEY|TOKEN|PASSWORD)[A-Za-z0-9_.]*"?\s*[=:]\s*)("[^"]*"|\S+))re",
      std::regex::icase | std::regex::optimize);
  return std::regex_replace(text, kAssignment, "$1********");
}

void mask_object(json::value& value) {
  if (json::array* array = value.if_array()) {
    for (json::value& item : *array) mask_object(item);
    return;
  }
  json::object* object = value.if_object();
  if (object == nullptr) return;
  const json::value* name = object->if_contains("name");
  json::value* content = object->if_contains("value");
  if (name != nullptr && content != nullptr && name->is_string() && content->is_string() &&
      names_a_secret(name->get_string())) {
    *content = kMask;
  }
  for (auto& member : *object) {
    if (member.value().is_string() && names_a_secret(member.key())) {
      member.value() = kMask;
    } else {
      mask_object(member.value());
    }
  }
}

io::Task<Result<fs::path>> write_report(kube::Client& client, ObjectKey node, fs::path folder) {
  auto gathered = co_await gather(client, node);
  if (!gathered) co_return fail(std::move(gathered.error()));
  NodeFacts& facts = gathered->facts;
  std::vector<std::string>& problems = gathered->problems;
  if (Status written =
          write_file(folder / "status.txt", mask_text(render_status(facts, client.loop().wall())));
      !written) {
    co_return fail(std::move(written.error()));
  }
  for (const json::object& pod : facts.pods) {
    co_await add_logs(client, pod, folder, problems);
    co_await add_metrics(client, pod, folder, problems);
  }
  std::vector<json::object> objects = std::move(gathered->children);
  objects.push_back(std::move(facts.node));
  for (auto* list : {&facts.pods, &facts.claims, &facts.events}) {
    for (json::object& object : *list) objects.push_back(std::move(object));
  }
  for (json::object& object : objects) {
    if (Status written = write_object(folder, std::move(object)); !written) {
      co_return fail(std::move(written.error()));
    }
  }
  std::string list;
  for (const std::string& problem : problems) list += problem + "\n";
  if (Status written = write_file(folder / "problems.txt", list); !written) {
    co_return fail(std::move(written.error()));
  }
  co_return folder;
}

}  // namespace davit::cli
