// Client: the verbs of the Kubernetes API, typed by Resource, over any Transport.
//
//   auto pod = co_await client.get(kPods, {"default", "a"});
//   co_await client.apply(kServices, service, {.manager = kManager, .force = true});
//
// Objects are json::object with apiVersion, kind and metadata.name set. Each call is one request;
// no retry, no cache. Failures carry the Status of the server: code, reason ("AlreadyExists"),
// message, retry-after (header or details). One thread: that of the Loop. The Transport must
// outlive the Client.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/http.hpp"
#include "kube/resource.hpp"
#include "wire/projection.hpp"

namespace davit::kube {

struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;        // "" = consistent read; "0" = any
  std::string resource_version_match;  // "", "Exact", "NotOlderThan"
  int limit = 500;                     // page size; 0 = all at once
  std::string continue_token;
  // What to keep of each item; nullptr: everything but managedFields.
  std::shared_ptr<const wire::Projection> projection;
};

struct List {
  std::vector<json::object> items;  // apiVersion and kind filled in
  ResourceVersion version;
  std::string continue_token;  // empty: the last page
};

struct ApplyOptions {
  FieldManager manager;
  bool force = false;
  bool dry_run = false;
  bool status = false;  // the status subresource
};

struct Preconditions {
  std::optional<Uid> uid;
  std::optional<ResourceVersion> version;
};

enum class Propagation { kBackground, kForeground, kOrphan };

struct DeleteOptions {
  Preconditions preconditions;
  Propagation propagation = Propagation::kBackground;
  std::optional<int> grace_seconds;
};

enum class PatchType { kMerge, kJson, kStrategicMerge };

// Lines of a watch: one JSON document each, {"type": …, "object": …}, without the newline.
class WatchStream {
 public:
  virtual ~WatchStream() = default;
  // The next line; nullopt when the server ended the stream in good order.
  virtual io::Task<Result<std::optional<std::string>>> next(io::Deadline deadline) = 0;
};

struct WatchOptions {
  std::string label_selector;
  std::string field_selector;
  ResourceVersion version;
  int timeout_seconds = 290;  // asked of the server
  bool allow_bookmarks = true;
};

class Client {
 public:
  Client(io::Transport& transport, io::Loop& loop);

  // Applies to each call; the default is 30 s.
  void set_timeout(Duration timeout) { timeout_ = timeout; }

  io::Task<Result<json::object>> get(Resource resource, ObjectKey key);
  // One page. ns empty: all namespaces.
  io::Task<Result<List>> list(Resource resource, std::string ns, ListOptions options = {});
  // All pages.
  io::Task<Result<List>> list_all(Resource resource, std::string ns, ListOptions options = {});
  io::Task<Result<json::object>> create(Resource resource, json::object object,
                                        FieldManager manager);
  io::Task<Result<json::object>> replace(Resource resource, json::object object,
                                         FieldManager manager);
  io::Task<Result<json::object>> replace_status(Resource resource, json::object object,
                                                FieldManager manager);
  // Server-side apply.
  io::Task<Result<json::object>> apply(Resource resource, json::object object,
                                       ApplyOptions options);
  io::Task<Result<json::object>> patch(Resource resource, ObjectKey key, PatchType type,
                                       json::value patch, FieldManager manager,
                                       std::string subresource = {});
  // kNotFound is a failure like any other.
  io::Task<Status> remove(Resource resource, ObjectKey key, DeleteOptions options = {});
  io::Task<Result<std::unique_ptr<WatchStream>>> watch(Resource resource, std::string ns,
                                                       WatchOptions options);
  // Any path: "/version", "/api/v1/namespaces/x/pods/y/log?tailLines=50".
  io::Task<Result<std::string>> raw(std::string method, std::string target, std::string body = {});

  [[nodiscard]] io::Loop& loop() const { return *loop_; }

 private:
  io::Task<Result<std::string>> exchange(Result<io::HttpRequest> request);
  io::Task<Result<json::object>> call(Result<io::HttpRequest> request);

  io::Transport* transport_;
  io::Loop* loop_;
  Duration timeout_{std::chrono::seconds(30)};
};

}  // namespace davit::kube
