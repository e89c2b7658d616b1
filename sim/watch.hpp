// Watches: streams of a kind's changes, served from the store's history.
//
// A stream stands at a version and reads what came after it when it is asked; nothing runs while
// nobody reads. An object that enters or leaves the selection is ADDED or DELETED. A stream whose
// place has been compacted away ends with an ERROR event, 410 Expired. One thread. The hub must
// outlive its streams.
#pragma once

#include <list>
#include <memory>
#include <string>

#include "io/http.hpp"
#include "io/sync.hpp"
#include "sim/operations.hpp"

namespace davit::sim {

struct WatchQuery {
  const ResourceType* type = nullptr;
  std::string ns;
  std::string name;  // empty: all
  Selector labels, fields;
  std::string version;  // "" and "0": what is there first, as ADDED events
  bool bookmarks = false;
  bool initial_events = false;  // sendInitialEvents: what is there, then a bookmark that says so
  int timeout_seconds = 0;      // 0: 30 minutes
};

struct WatchBehaviour {
  Duration bookmark_interval{std::chrono::seconds(60)};
  std::size_t piece_size = 0;   // bytes per read, to cut lines anywhere; 0: as they come
  bool gone_as_status = false;  // a version too old is answered by HTTP 410, not in the stream
};

class WatchHub {
 public:
  WatchHub(io::Loop& loop, ObjectStore& store);

  WatchBehaviour behaviour;

  Answer<std::unique_ptr<io::BodyStream>> open(WatchQuery query);
  // Every open stream fails with kUnavailable, as when connections break.
  void cut_all();
  // Every open stream ends in good order, as when the server shuts down or a timeout passes.
  void end_all();
  // Streams are silent until released: a partition that nobody notices.
  void freeze(bool frozen);
  // The streams that are open now say nothing more, for ever: half-open connections.
  void stall_open();
  [[nodiscard]] std::size_t open_streams() const { return streams_.size(); }

 private:
  class Stream;
  void wake();

  io::Loop* loop_;
  ObjectStore* store_;
  std::list<Stream*> streams_;
  bool frozen_ = false;
};

}  // namespace davit::sim
