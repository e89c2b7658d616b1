// Applier: server-side apply of our own children, skipped when there is nothing to do (rule 4).
//
// Q: Why not apply every time and let the server see that nothing changed?
// A: A quiet cluster must see no write, and a fleet of nodes no burst of them after each event.
// Q: Why a hash and a comparison?
// A: The hash alone would not see drift; the comparison alone would not see that we no longer want
// a
//    field we once set. Skipped if and only if both agree.
// Q: What if somebody else writes the same field again and again?
// A: After kPatience corrections of one field within ten minutes the apply fails with reason
//    FieldContested, which backs off, instead of fighting for ever.
// Q: What if the name is taken by an object that is not ours?
// A: It is left alone: kAlreadyExists, reason NotOurs. Ours is what our owner controls, or what
// carries
//    our hash and has no controller (its owner reference was lost, or the child was orphaned) or
//    shall have none. Force is used on nothing else, and the live UID goes along, so that a
//    namesake made meanwhile is not touched.
//
// The hash is the annotation `davit.hiero.org/applied-hash`. When the cache has no such object, or
// is older than our own last write to it, it is read first. One thread.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "io/sync.hpp"
#include "kube/client.hpp"
#include "runtime/informer.hpp"

namespace davit::runtime {

inline constexpr std::string_view kAppliedHashAnnotation = "davit.hiero.org/applied-hash";

enum class Applied { kSkipped, kWritten };

class Applier {
 public:
  Applier(kube::Client& client, FieldManager manager)
      : client_(&client), manager_(std::move(manager)), ended_(client.loop()) {}

  // `object` has apiVersion, kind, metadata.name (and namespace), and its controller in
  // ownerReferences if it has one. What is cached in `informer` decides whether to write; the write
  // is noted there (read your own writes). One at a time for each object: who comes second, for an
  // object that several owners share, sees what the first wrote.
  io::Task<Result<Applied>> apply(Informer& informer, json::object object);

 private:
  using History = std::unordered_map<std::string, std::deque<Monotonic>>;

  io::Task<Result<Applied>> apply_alone(Informer& informer, json::object object, std::string name);
  // The cached object, or the live one where the cache cannot tell; null: there is none.
  io::Task<Result<Object>> current(Informer& informer, ObjectKey key);
  // Counts a correction of `field` (of object `name`); FieldContested when there were too many.
  Status correct(std::string_view kind, const std::string& name, const std::string& field);
  void forget_old_corrections();

  kube::Client* client_;
  FieldManager manager_;
  History corrections_;                                     // by object and field
  std::unordered_map<std::string, std::string> last_hash_;  // what we last wrote, by object
  std::unordered_set<std::string> busy_;                    // objects being applied
  io::Notify ended_;                                        // one of them is done
};

// Of the canonical text: the same meaning gives the same hash.
[[nodiscard]] std::string applied_hash(const json::object& object);

}  // namespace davit::runtime
