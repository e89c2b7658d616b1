// Projection: which members of a Kubernetes object are worth keeping; ProjectionReader: reads only
// them.
//
//   const Projection projection({"spec", "status.phase"});
//   ProjectionReader reader;                                  // keep it: it reuses its buffers
//   Result<json::object> pod = reader.read(line, projection);
//
// Paths are dotted member names; a step meets an array by applying to each element. Always kept:
// apiVersion, kind and the identifying metadata (kMetadata). Always dropped:
// metadata.managedFields. An empty list of paths keeps everything else. A Projection is an
// immutable value, cheap to copy.
//
// The reader is simdjson on demand: the whole text is checked as UTF-8 and for its brackets and
// strings, what is skipped is not checked further. Integers beyond 64 bits become doubles, as in
// Go. Fails with kInvalid; kept parts may be 200 levels deep. A reader belongs to one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/json.hpp"

namespace davit::wire {

class Projection {
 public:
  // One member's rule: `members` have rules of their own; all others are kept or not.
  struct Node {
    bool others = true;
    bool drop = false;  // this member is left out, whatever is below
    std::vector<std::pair<std::string, std::shared_ptr<const Node>>> members;

    [[nodiscard]] const Node* find(std::string_view name) const;
  };

  static constexpr std::string_view kMetadata[] = {"name",
                                                   "namespace",
                                                   "uid",
                                                   "generation",
                                                   "resourceVersion",
                                                   "labels",
                                                   "annotations",
                                                   "ownerReferences",
                                                   "deletionTimestamp",
                                                   "creationTimestamp",
                                                   "finalizers"};

  Projection() : Projection(std::vector<std::string>()) {}
  explicit Projection(const std::vector<std::string>& paths);

  // Of a document around objects: keeps only `members`, each by its own projection ("items": the
  // objects of a list, "object": that of a watch event). Their metadata is kept whole.
  using Members = std::vector<std::pair<std::string, Projection>>;
  [[nodiscard]] static Projection envelope(const Members& members);
  // Keeps every member of every level.
  [[nodiscard]] static Projection whole();

  [[nodiscard]] const Node& root() const { return *root_; }

 private:
  explicit Projection(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

class ProjectionReader {
 public:
  ProjectionReader();
  ~ProjectionReader();
  ProjectionReader(ProjectionReader&&) noexcept;
  ProjectionReader& operator=(ProjectionReader&&) noexcept;

  [[nodiscard]] Result<json::object> read(std::string_view text, const Projection& projection);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace davit::wire
