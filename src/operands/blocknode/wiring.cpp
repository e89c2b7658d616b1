// The controller's wiring: which change looks at which BlockNode again, and what is told when one
// goes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/mutant.hpp"
#include "operands/blocknode/names.hpp"
#include "operands/blocknode/pod_facts.hpp"
#include "operands/blocknode/reconcile.hpp"
#include "operands/blocknode/types_schema.hpp"

namespace davit::blocknode {

namespace {

constexpr auto kNoteInterval = std::chrono::seconds(30);

std::optional<Member> member_of(const json::object& object) {
  Result<BlockNode> node = read_block_node(object);
  if (!node) return std::nullopt;
  return Member{.key = node->key,
                .uid = node->uid,
                .group = disruption_group(node->spec),
                .orphan = node->spec.policies.deletion == "Orphan"};
}

bool same_place(const Member* a, const std::optional<Member>& b) {
  return a != nullptr && b && a->group == b->group && a->orphan == b->orphan && a->uid == b->uid;
}

std::string claims_of(const BlockNode& node) {
  std::vector<std::string> names;
  for (const MountedClaim& claim : mounted_claims(node.spec)) {
    names.push_back(claim_of(node, claim));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Announcement deletion_note(const BlockNode& node) {
  const std::string claims = claims_of(node);
  if (node.spec.policies.deletion == "Delete") {
    return {.warning = false,
            .reason = std::string(reason::kDataDeleted.name),
            .note = fmt::format("policies.deletion is Delete: claims {} go with the BlockNode, "
                                "except existing ones",
                                claims)};
  }
  if (node.spec.policies.deletion == "Orphan") {
    return {.warning = false,
            .reason = std::string(reason::kPodLeftRunning.name),
            .note = fmt::format("policies.deletion is Orphan: pod {} goes on running, claims {} "
                                "are kept",
                                pod_name(node.key), claims)};
  }
  return {.warning = false,
          .reason = std::string(reason::kClaimsKept.name),
          .note = fmt::format("claims {} were kept. A BlockNode of the same name and network finds "
                              "them again; delete them by hand if the data is not wanted",
                              claims)};
}

// The newest thing an Event says; events.k8s.io/v1.
std::string newest_note(const std::vector<json::object>& events) {
  std::string newest;
  std::string note;
  for (const json::object& event : events) {
    std::string when(wire::find_string(event, "series.lastObservedTime"));
    if (when.empty()) when = wire::find_string(event, "deprecatedLastTimestamp");
    if (when.empty()) when = wire::find_string(event, "eventTime");
    if (when < newest) continue;
    newest = std::move(when);
    note = wire::find_string(event, "note");
  }
  constexpr std::size_t kLimit = 300;
  return note.substr(0, kLimit);
}

}  // namespace

BlockNodeController::BlockNodeController(io::Loop& loop, Random& random, Metrics& metrics,
                                         kube::Client& client, kube::EventRecorder& events,
                                         NodeProbe& probe, Options options)
    : loop_(&loop),
      random_(&random),
      client_(&client),
      events_(&events),
      probe_(&probe),
      options_(std::move(options)),
      informers_(client, random, options_.ns),
      applier_(client, FieldManager(std::string(kManager))),
      executor_(client, applier_, informers_),
      owns_([](const ObjectKey&) { return true; }),
      controller_(
          loop, random, metrics,
          {.name = "blocknode", .concurrency = options_.concurrency, .on_error = options_.on_error},
          [this](ObjectKey key) { return reconcile(std::move(key)); }),
      rounds_(loop) {
  wire_up();
}

void BlockNodeController::set_owns_key(std::function<bool(const ObjectKey&)> owns) {
  owns_ = owns;
  controller_.set_owns_key(std::move(owns));
}

void BlockNodeController::wire_up() {
  informers_.nodes.on_change([this](const runtime::Change& change) { node_changed(change); });
  controller_.watches(informers_.nodes);
  for (runtime::Informer* informer : informers_.children()) {
    const bool whole_namespace = informer == &informers_.claims || informer == &informers_.budgets;
    controller_.watches(*informer, [this, whole_namespace](const runtime::Change& change) {
      return nodes_of(change, whole_namespace);
    });
  }
}

io::Task<void> BlockNodeController::run() {
  io::Scope scope(*loop_);
  scope.spawn(informers_.nodes.run());
  for (runtime::Informer* informer : informers_.children()) scope.spawn(informer->run());
  scope.spawn(controller_.run());
  co_await scope.join();
}

void BlockNodeController::node_changed(const runtime::Change& change) {
  const json::object& object = change.after != nullptr ? *change.after : *change.before;
  const ObjectKey key = kube::key_of(object);
  const std::optional<Member> now = change.after != nullptr ? member_of(object) : std::nullopt;
  const Member* before = fleet_.find(key);
  std::set<std::string> touched;
  if (!same_place(before, now)) {
    if (before != nullptr) touched.insert(before->group);
    if (now) touched.insert(now->group);
  }
  if (change.after == nullptr) {
    fleet_.forget(key);
    states_.erase(kube::uid_of(object));
    if (owns_(key)) tell_deletion(object);
  } else if (now) {
    fleet_.put(*now);
  }
  for (ObjectKey& waiting : fleet_.waiting()) {
    if (waiting != key) controller_.enqueue(std::move(waiting));
  }
  for (const std::string& group : touched) {
    for (const Member& member : fleet_.group_in(group, key.ns)) controller_.enqueue(member.key);
  }
}

// By the node's label; unlabelled claims and budgets concern whoever is in the namespace.
std::vector<ObjectKey> BlockNodeController::nodes_of(const runtime::Change& change,
                                                     bool whole_namespace) const {
  const json::object& object = change.after != nullptr ? *change.after : *change.before;
  const std::string ns = kube::key_of(object).ns;
  std::vector<ObjectKey> keys;
  if (std::string name = label_of(object, kNodeLabel); !name.empty()) {
    keys.push_back({ns, std::move(name)});
    if (wire::find_object(object, "status.containerStatuses") != nullptr) {
      for (ObjectKey& key : fleet_.waiting()) keys.push_back(std::move(key));
    }
    return keys;
  }
  if (!whole_namespace) return keys;
  if (const std::string group = label_of(object, kGroupLabel); !group.empty()) {
    for (const Member& member : fleet_.group_in(group, ns)) keys.push_back(member.key);
    return keys;
  }
  for (const runtime::Object& node : informers_.nodes.store().all()) {
    if (kube::key_of(*node).ns == ns) keys.push_back(kube::key_of(*node));
  }
  return keys;
}

void BlockNodeController::tell_deletion(const json::object& object) {
  if (Result<BlockNode> node = read_block_node(object)) announce(object, {deletion_note(*node)});
}

// What davit-start moved aside at this start of the server.
void BlockNodeController::tell_quarantine(const ObjectKey& key, const Observation& seen) {
  const runtime::Object node = informers_.nodes.store().get(key);
  if (node == nullptr || !seen.last || !seen.last->agent || !seen.last->agent->start) return;
  const std::vector<std::string>& moved = seen.last->agent->start->quarantined;
  if (moved.empty()) return;
  announce(*node, {{.warning = true,
                    .reason = std::string(reason::kBlocksQuarantined.name),
                    .note = fmt::format("{} block files were empty or cut short and moved to "
                                        ".davit-quarantine on their volume, the first: {}",
                                        moved.size(), moved.front())}});
}

void BlockNodeController::announce(const json::object& object,
                                   const std::vector<Announcement>& events) {
  for (const Announcement& event : events) {
    events_->record(object, event.warning ? kube::EventType::kWarning : kube::EventType::kNormal,
                    event.reason, "Reconcile", event.note);
  }
}

// Neither complete nor told why not: a moment after the start.
bool BlockNodeController::still_listing() const {
  if (mutant(kActUnsynced)) return false;
  return std::ranges::any_of(informers_.children(), [](const runtime::Informer* informer) {
    return !informer->synced() && !informer->error();
  });
}

void BlockNodeController::start_noting(const ObjectKey& key, const Snapshot& snapshot,
                                       const std::shared_ptr<NodeState>& state) {
  for (const Claim& claim : snapshot.claims) {
    if (claim.state != ClaimState::kPending) {
      state->claim_notes.erase(claim.name);
      continue;
    }
    const bool due = !state->noted_at || loop_->now() - *state->noted_at >= kNoteInterval;
    if (state->noting || !due) continue;
    state->noting = true;
    rounds_.spawn(note_claim(key, claim.name, state));
  }
}

io::Task<void> BlockNodeController::note_claim(ObjectKey key, std::string claim,
                                               std::shared_ptr<NodeState> state) {
  kube::ListOptions options;
  options.field_selector =
      fmt::format("regarding.kind=PersistentVolumeClaim,regarding.name={}", claim);
  options.limit = 20;
  const auto events = co_await client_->list(kube::kEvents, key.ns, options);
  state->noting = false;
  state->noted_at = loop_->now();
  if (!events) co_return;
  std::string note = newest_note(events->items);
  if (note.empty() || state->claim_notes[claim] == note) co_return;
  state->claim_notes[claim] = std::move(note);
  controller_.enqueue(std::move(key));
}

}  // namespace davit::blocknode
