// Operations: the verbs of the API server on the ObjectStore: what a request does once it is routed
// and authorised. Also how the simulator's own controllers act (without HTTP).
//
// Each call is atomic. One thread.
#pragma once

#include <functional>
#include <string>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "sim/admission.hpp"
#include "sim/api_error.hpp"
#include "sim/object_store.hpp"
#include "sim/selectors.hpp"
#include "sim/ssa.hpp"

namespace davit::sim {

struct WriteOptions {
  std::string manager = "unknown";
  std::string subresource;  // "" or "status"
  bool force = false;       // server-side apply
  bool dry_run = false;
  bool strict = false;   // fieldValidation=Strict: unknown fields are refused
  bool patches = false;  // a mistyped result is the patch's fault
  std::vector<std::string>* unknown = nullptr;  // where unknown fields are noted
};

enum class PatchKind { kMerge, kJson, kStrategic, kApply };

struct DeleteOptions {
  std::string uid, version;  // preconditions; empty: none
  std::string propagation;   // "Background", "Foreground", "Orphan"; empty: as the kind has it
  std::optional<int> grace_seconds;
  bool dry_run = false;
};

struct Listing {
  std::vector<Object> items;
  Version version = 0;
  std::string continue_token;
  std::size_t remaining = 0;
};

struct ListQuery {
  std::string ns;  // empty: all
  Selector labels, fields;
  std::string version, match;  // resourceVersion, resourceVersionMatch
  std::size_t limit = 0;
  std::string continue_token;
};

class Operations {
 public:
  Operations(Registry& registry, ObjectStore& store, const Clock& clock, Random& random)
      : registry_(&registry), store_(&store), clock_(&clock), random_(&random) {}

  [[nodiscard]] Answer<Object> get(const ResourceType& type, const ObjectKey& key) const;
  [[nodiscard]] Answer<Listing> list(const ResourceType& type, const ListQuery& query) const;
  Answer<Object> create(const ResourceType& type, const std::string& ns, json::object object,
                        const WriteOptions& options);
  // Some kinds (Leases, Services, RBAC) are made by an update that does not find them: `created`.
  Answer<Object> replace(const ResourceType& type, const ObjectKey& key, json::object object,
                         const WriteOptions& options, bool* created = nullptr);
  // `created` is set when an apply made the object.
  Answer<Object> patch(const ResourceType& type, const ObjectKey& key, PatchKind kind,
                       const json::value& patch, const WriteOptions& options,
                       bool* created = nullptr);
  // The object as it is after the call; `gone` is set when it is no more.
  Answer<Object> remove(const ResourceType& type, const ObjectKey& key,
                        const DeleteOptions& options, bool* gone = nullptr);

  // Everything `query` selects, as remove() does it; what was removed.
  Answer<std::vector<Object>> remove_all(const ResourceType& type, const ListQuery& query,
                                         const DeleteOptions& options);

  // New claims and volumes are held by the finalizers of the protection controllers at once. Off:
  // the simulated controllers put them a moment later.
  void set_protects_volumes(bool on) { protects_volumes_ = on; }
  // Asked in turn, after the server's own checks; the first refusal counts.
  void add_admission(Admission admission) { admissions_.push_back(std::move(admission)); }

  // For the simulator's controllers: reads the object, lets `change` edit it, writes it if it
  // changed. False when the object is not there.
  bool edit(const ResourceType& type, const ObjectKey& key, const std::string& subresource,
            const std::function<void(json::object&)>& change);

  [[nodiscard]] ObjectStore& store() const { return *store_; }
  [[nodiscard]] Registry& registry() const { return *registry_; }
  [[nodiscard]] const Clock& clock() const { return *clock_; }

 private:
  Answer<Object> apply(const ResourceType& type, const ObjectKey& key, json::object config,
                       const WriteOptions& options, bool* created);
  // Defaults, schema and rules of `object`, in place.
  std::optional<ApiError> admit(const ResourceType& type, json::object& object,
                                const json::object* before, const WriteOptions& options) const;
  [[nodiscard]] std::optional<ApiError> ask(const AdmissionRequest& request) const;
  Answer<Object> insert(const ResourceType& type, json::object object, const WriteOptions& options,
                        bool track);
  Answer<Object> update(const ResourceType& type, const Object& before, json::object object,
                        const WriteOptions& options, bool track);
  Object finish(const ResourceType& type, json::object object, bool dry_run);
  [[nodiscard]] std::string make_uid();
  [[nodiscard]] Writer writer_of(const ResourceType& type, const WriteOptions& options,
                                 const char* operation) const;

  void protect(const ResourceType& type, json::object& object) const;

  std::vector<Admission> admissions_;
  bool protects_volumes_ = false;
  Registry* registry_;
  ObjectStore* store_;
  const Clock* clock_;
  Random* random_;
};

}  // namespace davit::sim
