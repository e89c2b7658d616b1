// Applier: server-side apply of our own children, skipped when there is nothing to do (rule 4).
//
// Q: Why not apply every time and let the server see that nothing changed? A: A quiet cluster must
// see no
//    write, and a fleet of nodes no burst of them after each event.
// Q: Why a hash and a comparison? A: The hash alone would not see drift; the comparison alone would
// not see
//    that we no longer want a field we once set. Skipped if and only if both agree.
// Q: What if somebody else writes the same field again and again? A: After kPatience corrections of
// one
//    field within ten minutes the apply fails with reason FieldContested, which backs off, instead
//    of fighting for ever.
//
// The hash is the annotation `davit.hiero.org/applied-hash`. Force is used: the caller vouches that
// the object is its own child. One thread.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>

#include "kube/client.hpp"
#include "runtime/informer.hpp"

namespace davit::runtime {

inline constexpr std::string_view kAppliedHashAnnotation = "davit.hiero.org/applied-hash";

enum class Applied { kSkipped, kWritten };

class Applier {
 public:
  Applier(kube::Client& client, FieldManager manager)
      : client_(&client), manager_(std::move(manager)) {}

  // `object` has apiVersion, kind, metadata.name (and namespace). What is cached in `informer`
  // decides whether to write; the write is noted there (read your own writes).
  io::Task<Result<Applied>> apply(Informer& informer, json::object object);

 private:
  [[nodiscard]] bool is_contested(const std::string& field);

  kube::Client* client_;
  FieldManager manager_;
  std::unordered_map<std::string, std::deque<Monotonic>> corrections_;  // by object and field
};

// Of the canonical text: the same meaning gives the same hash.
[[nodiscard]] std::string applied_hash(const json::object& object);

}  // namespace davit::runtime
