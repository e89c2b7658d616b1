#include "sim/serve/builtin_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace davit::sim {

namespace {

using Cell = std::function<json::value(const json::object&, WallTime)>;

constexpr int kWide = 1;

Column name() { return {.name = "Name", .description = "Name must be unique within a namespace."}; }

Column text(std::string title, std::function<std::string(const json::object&)> read,
            int priority = 0) {
  return {.name = std::move(title),
          .priority = priority,
          .cell = [read = std::move(read)](const json::object& object, WallTime) {
            return json::value(read(object));
          }};
}

// The string at `path`.
Column path(std::string title, std::string where, std::string fallback = {}, int priority = 0) {
  return text(
      std::move(title),
      [where = std::move(where), fallback = std::move(fallback)](const json::object& object) {
        return std::string(wire::find_string(object, where, fallback));
      },
      priority);
}

Column number(std::string title, std::string where) {
  return {.name = std::move(title),
          .type = "integer",
          .cell = [where = std::move(where)](const json::object& object, WallTime) {
            return json::value(wire::find_int(object, where).value_or(0));
          }};
}

Column age_column() {
  return {.name = "Age", .cell = [](const json::object& object, WallTime now) {
            return json::value(age(wire::find_string(object, "metadata.creationTimestamp"), now));
          }};
}

Columns operator+(Columns left, Columns right) {
  std::ranges::move(right, std::back_inserter(left));
  return left;
}

std::string integer_text(const json::object& object, std::string_view where) {
  return std::to_string(wire::find_int(object, where).value_or(0));
}

Columns container_columns() {
  return {text("Containers", container_names, kWide), text("Images", container_images, kWide)};
}

Column selector() {
  return text(
      "Selector",
      [](const json::object& object) {
        return labels_text(wire::find_object(object, "spec.selector.matchLabels"));
      },
      kWide);
}

Columns pods() {
  const auto part = [](std::string title, std::string PodSummary::* member) {
    return Column{.name = std::move(title),
                  .cell = [member](const json::object& pod, WallTime now) {
                    return json::value(summarise_pod(pod, now).*member);
                  }};
  };
  return {name(),
          part("Ready", &PodSummary::ready),
          part("Status", &PodSummary::status),
          part("Restarts", &PodSummary::restarts),
          age_column(),
          path("IP", "status.podIP", "<none>", kWide),
          path("Node", "spec.nodeName", "<none>", kWide),
          path("Nominated Node", "status.nominatedNodeName", "<none>", kWide),
          text("Readiness Gates", [](const json::object&) { return "<none>"; }, kWide)};
}

Columns nodes() {
  return {
      name(),
      text("Status", node_state),
      text("Roles", node_roles),
      age_column(),
      path("Version", "status.nodeInfo.kubeletVersion"),
      text(
          "Internal-IP", [](const auto& node) { return node_address(node, "InternalIP"); }, kWide),
      text(
          "External-IP", [](const auto& node) { return node_address(node, "ExternalIP"); }, kWide),
      path("OS-Image", "status.nodeInfo.osImage", "<unknown>", kWide),
      path("Kernel-Version", "status.nodeInfo.kernelVersion", "<unknown>", kWide),
      path("Container-Runtime", "status.nodeInfo.containerRuntimeVersion", "<unknown>", kWide)};
}

Columns services() {
  return {name(),
          path("Type", "spec.type"),
          path("Cluster-IP", "spec.clusterIP", "<none>"),
          text("External-IP", external_address),
          text("Port(s)", port_list),
          age_column(),
          text(
              "Selector",
              [](const json::object& service) {
                return labels_text(wire::find_object(service, "spec.selector"));
              },
              kWide)};
}

Columns stateful_sets() {
  return Columns{name(),
                 text("Ready",
                      [](const json::object& set) {
                        return integer_text(set, "status.readyReplicas") + "/" +
                               integer_text(set, "spec.replicas");
                      }),
                 age_column()} +
         container_columns();
}

Columns deployments() {
  return Columns{name(),
                 text("Ready",
                      [](const json::object& deployment) {
                        return integer_text(deployment, "status.readyReplicas") + "/" +
                               integer_text(deployment, "spec.replicas");
                      }),
                 number("Up-to-date", "status.updatedReplicas"),
                 number("Available", "status.availableReplicas"), age_column()} +
         container_columns() + Columns{selector()};
}

Columns replica_sets() {
  return Columns{name(), number("Desired", "spec.replicas"), number("Current", "status.replicas"),
                 number("Ready", "status.readyReplicas"), age_column()} +
         container_columns() + Columns{selector()};
}

Columns daemon_sets() {
  return Columns{
             name(),
             number("Desired", "status.desiredNumberScheduled"),
             number("Current", "status.currentNumberScheduled"),
             number("Ready", "status.numberReady"),
             number("Up-to-date", "status.updatedNumberScheduled"),
             number("Available", "status.numberAvailable"),
             text("Node Selector",
                  [](const json::object& set) {
                    return labels_text(wire::find_object(set, "spec.template.spec.nodeSelector"));
                  }),
             age_column()} +
         container_columns() + Columns{selector()};
}

Columns jobs() {
  return Columns{name(), text("Status", job_state),
                 text("Completions",
                      [](const json::object& job) {
                        return fmt::format("{}/{}",
                                           wire::find_int(job, "status.succeeded").value_or(0),
                                           wire::find_int(job, "spec.completions").value_or(1));
                      }),
                 Column{.name = "Duration",
                        .cell =
                            [](const json::object& job, WallTime now) {
                              const auto start = wire::find_string(job, "status.startTime");
                              return start.empty() ? json::value("") : json::value(age(start, now));
                            }},
                 age_column()} +
         container_columns() + Columns{selector()};
}

Columns claims() {
  return {name(),
          text("Status",
               [](const json::object& claim) {
                 return std::string(wire::find(claim, "metadata.deletionTimestamp")
                                        ? "Terminating"
                                        : wire::find_string(claim, "status.phase"));
               }),
          path("Volume", "spec.volumeName"),
          path("Capacity", "status.capacity.storage"),
          text("Access Modes",
               [](const json::object& claim) {
                 return access_modes(wire::find_array(claim, "status.accessModes"));
               }),
          path("StorageClass", "spec.storageClassName"),
          path("VolumeAttributesClass", "spec.volumeAttributesClassName", "<unset>"),
          age_column(),
          path("VolumeMode", "spec.volumeMode", "<unset>", kWide)};
}

Columns volumes() {
  return {name(),
          path("Capacity", "spec.capacity.storage"),
          text("Access Modes",
               [](const json::object& volume) {
                 return access_modes(wire::find_array(volume, "spec.accessModes"));
               }),
          path("Reclaim Policy", "spec.persistentVolumeReclaimPolicy"),
          text("Status",
               [](const json::object& volume) {
                 return std::string(wire::find(volume, "metadata.deletionTimestamp")
                                        ? "Terminating"
                                        : wire::find_string(volume, "status.phase"));
               }),
          text("Claim",
               [](const json::object& volume) {
                 const auto* claim = wire::find_object(volume, "spec.claimRef");
                 return claim ? fmt::format("{}/{}", wire::find_string(*claim, "namespace"),
                                            wire::find_string(*claim, "name"))
                              : std::string();
               }),
          path("StorageClass", "spec.storageClassName"),
          path("VolumeAttributesClass", "spec.volumeAttributesClassName", "<unset>"),
          path("Reason", "status.reason"),
          age_column(),
          path("VolumeMode", "spec.volumeMode", "<unset>", kWide)};
}

// Of both forms of an Event: core/v1 and events.k8s.io/v1.
std::string_view either(const json::object& event, std::string_view core, std::string_view named) {
  const std::string_view value = wire::find_string(event, core);
  return value.empty() ? wire::find_string(event, named) : value;
}

std::string_view first_seen(const json::object& event) {
  const std::string_view first = either(event, "firstTimestamp", "deprecatedFirstTimestamp");
  return first.empty() ? wire::find_string(event, "eventTime") : first;
}

std::string_view last_seen(const json::object& event) {
  const std::string_view series = wire::find_string(event, "series.lastObservedTime");
  if (!series.empty()) return series;
  const std::string_view last = either(event, "lastTimestamp", "deprecatedLastTimestamp");
  return last.empty() ? first_seen(event) : last;
}

std::string event_target(const json::object& event) {
  std::string kind(either(event, "involvedObject.kind", "regarding.kind"));
  std::ranges::transform(kind, kind.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string_view object = either(event, "involvedObject.name", "regarding.name");
  return object.empty() ? kind : kind + "/" + std::string(object);
}

Columns events() {
  const auto moment = [](std::string title, auto when, int priority) {
    return Column{.name = std::move(title),
                  .priority = priority,
                  .cell = [when](const json::object& event, WallTime now) {
                    return json::value(age(when(event), now));
                  }};
  };
  return {
      moment("Last Seen", last_seen, 0),
      path("Type", "type"),
      path("Reason", "reason"),
      text("Object", event_target),
      text(
          "Subobject",
          [](const json::object& event) {
            return std::string(either(event, "involvedObject.fieldPath", "regarding.fieldPath"));
          },
          kWide),
      text(
          "Source",
          [](const json::object& event) {
            std::string source(either(event, "source.component", "reportingController"));
            if (source.empty()) source = wire::find_string(event, "reportingComponent");
            const auto instance = wire::find_string(event, "reportingInstance");
            return instance.empty() ? source : source + ", " + std::string(instance);
          },
          kWide),
      text("Message",
           [](const json::object& event) { return std::string(either(event, "message", "note")); }),
      moment("First Seen", first_seen, kWide),
      Column{.name = "Count",
             .priority = kWide,
             .cell =
                 [](const json::object& event, WallTime) {
                   auto count = wire::find_int(event, "series.count");
                   if (!count) count = wire::find_int(event, "count");
                   return json::value(std::max<std::int64_t>(1, count.value_or(1)));
                 }},
      Column{.name = "Name", .priority = kWide, .cell = {}}};
}

Columns disruption_budgets() {
  const auto limit = [](std::string title, std::string where) {
    return text(std::move(title), [where](const json::object& budget) {
      const json::value* value = wire::find(budget, where);
      if (!value) return std::string("N/A");
      return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
    });
  };
  return {name(), limit("Min Available", "spec.minAvailable"),
          limit("Max Unavailable", "spec.maxUnavailable"),
          number("Allowed Disruptions", "status.disruptionsAllowed"), age_column()};
}

Columns storage_classes() {
  return {Column{.name = "Name",
                 .cell =
                     [](const json::object& one, WallTime) {
                       std::string text(wire::find_string(one, "metadata.name"));
                       const auto* notes = wire::find_object(one, "metadata.annotations");
                       const auto* mark =
                           notes ? notes->if_contains("storageclass.kubernetes.io/is-default-class")
                                 : nullptr;
                       if (mark && *mark == "true") text += " (default)";
                       return json::value(text);
                     }},
          path("Provisioner", "provisioner"),
          path("ReclaimPolicy", "reclaimPolicy", "Delete"),
          path("VolumeBindingMode", "volumeBindingMode", "Immediate"),
          Column{.name = "AllowVolumeExpansion",
                 .type = "string",
                 .cell =
                     [](const json::object& one, WallTime) {
                       return json::value(wire::find_bool(one, "allowVolumeExpansion", false));
                     }},
          age_column()};
}

Column member_count(std::string title, std::vector<std::string> members) {
  return {.name = std::move(title),
          .type = "string",
          .cell = [members = std::move(members)](const json::object& object, WallTime) {
            std::size_t count = 0;
            for (const std::string& member : members) {
              if (const auto* map = wire::find_object(object, member)) count += map->size();
            }
            return json::value(count);
          }};
}

Columns role_bindings() {
  return {name(),
          text("Role",
               [](const json::object& binding) {
                 return fmt::format("{}/{}", wire::find_string(binding, "roleRef.kind"),
                                    wire::find_string(binding, "roleRef.name"));
               }),
          age_column()};
}

Columns created_at() {
  return {
      name(),
      Column{
          .name = "Created At", .type = "date", .cell = [](const json::object& object, WallTime) {
            return json::value(wire::find_string(object, "metadata.creationTimestamp"));
          }}};
}

}  // namespace

Columns builtin_columns(const ResourceType& type) {
  struct Row {
    std::string_view plural;
    Columns (*make)();
  };
  static constexpr Row kRows[] = {
      {"pods", pods},
      {"nodes", nodes},
      {"services", services},
      {"statefulsets", stateful_sets},
      {"deployments", deployments},
      {"replicasets", replica_sets},
      {"daemonsets", daemon_sets},
      {"jobs", jobs},
      {"persistentvolumeclaims", claims},
      {"persistentvolumes", volumes},
      {"events", events},
      {"poddisruptionbudgets", disruption_budgets},
      {"storageclasses", storage_classes},
      {"rolebindings", role_bindings},
      {"clusterrolebindings", role_bindings},
      {"namespaces", [] { return Columns{name(), path("Status", "status.phase"), age_column()}; }},
      {"configmaps",
       [] { return Columns{name(), member_count("Data", {"data", "binaryData"}), age_column()}; }},
      {"secrets",
       [] {
         return Columns{name(), path("Type", "type"), member_count("Data", {"data"}), age_column()};
       }},
      {"serviceaccounts", [] { return Columns{name(), age_column()}; }},
      {"leases",
       [] { return Columns{name(), path("Holder", "spec.holderIdentity"), age_column()}; }},
  };
  for (const Row& row : kRows) {
    if (row.plural == type.plural) return row.make();
  }
  return created_at();
}

}  // namespace davit::sim
