#include "sim/life/faults_drawn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace davit::sim {

namespace {

using std::chrono::seconds;

class Faults {
 public:
  Faults(Draw& draw, const std::vector<std::string>& nodes, Schedule& schedule)
      : draw_(&draw), nodes_(&nodes), schedule_(&schedule) {
    for (const Step& step : schedule.steps) user_times_.push_back(step.at);
  }

  void draw() {
    const auto faults = draw_->between(3, 9);
    for (std::int64_t n = 0; n < faults; ++n) fault(time());
    const auto crashes = draw_->between(1, 3);
    for (std::int64_t n = 0; n < crashes; ++n) crash(time());
  }

 private:
  // Mostly around a user's act, when Davit has something to do.
  Duration time() {
    const Duration latest = schedule_->length - seconds(40);
    if (draw_->chance(0.3)) return draw_->between(seconds(1), latest);
    const Duration near = user_times_[draw_->index(user_times_.size())];
    return std::min(latest, draw_->between(std::max<Duration>(seconds(1), near - seconds(5)),
                                           near + seconds(15)));
  }
  void add(Duration at, std::string act, std::string object, json::object with) {
    schedule_->steps.push_back({at, std::move(act), std::move(object), std::move(with)});
  }
  std::string node() { return "blocknodes/" + (*nodes_)[draw_->index(nodes_->size())]; }
  template <std::size_t N>
  std::string_view one_of(const std::array<std::string_view, N>& of) {
    return of[draw_->index(N)];
  }

  void crash(Duration at) {
    json::object with{{"down", draw_->time(0, 20)}};
    if (draw_->chance(0.75)) with["after_write"] = draw_->between(1, 8);
    if (schedule_->replicas > 1) {
      with["replica"] = draw_->between(0, std::int64_t{schedule_->replicas} - 1);
    }
    add(at, "crash", "", std::move(with));
  }

  void fault(Duration at) {
    switch (draw_->index(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return network(at);
      case 4:
        return add(at, "watch", "",
                   {{"what", one_of<6>({"cut", "end", "freeze", "stall", "compact", "freeze"})},
                    {"for", draw_->time(1, 60)}});
      case 5:
        return add(at, draw_->chance(0.7) ? "server-down" : "token-expired", "",
                   {{"for", draw_->time(1, 60)}});
      case 6:
        return draw_->chance(0.5)
                   ? add(at, "wall", "", {{"by", one_of<4>({"1h", "-1h", "24h", "-5s"})}})
                   : pause(at);
      case 7:
        return add(at, "halt", "",
                   {{"what", one_of<6>({"kubelet", "statefulsets", "binder", "provisioner",
                                        "collector", "disruptions"})},
                    {"for", draw_->time(5, 120)}});
      case 8:
        return add(
            at, "server", node(),
            {{"fault", one_of<9>({"crash", "crash-on-start", "fatal", "hang-in-scan", "slow-scan",
                                  "unhealthy", "stall-ingest", "full-disk", "slow-metrics"})},
             {"for", draw_->time(5, 90)}});
      case 9:
        return add(at, "lie", node(),
                   {{"what", one_of<5>({"healthy-while-dead", "empty-status", "old-version",
                                        "garbage", "slow"})},
                    {"for", draw_->time(5, 60)}});
      case 10:
        return draw_->chance(0.5) ? add(at, "unreachable", node(), {{"for", draw_->time(5, 60)}})
                                  : add(at, "disk", node(),
                                        {{"role", one_of<3>({"live", "historic", "logs"})},
                                         {"what", one_of<2>({"full", "read-only"})},
                                         {"for", draw_->time(5, 60)}});
      default:
        return rights(at);
    }
  }

  void network(Duration at) {
    json::object with{
        {"kind", one_of<11>({"error", "fail-before", "lose-reply", "lose-reply", "delay",
                             "duplicate", "stale-list", "watch-delay", "watch-duplicate",
                             "watch-reorder", draw_->chance(0.5) ? "quota" : "admission"})},
        {"for", draw_->time(5, 90)}};
    const std::string kind(with["kind"].as_string());
    if (kind == "error") {
      static constexpr std::array<int, 7> kStatus{500, 503, 429, 409, 401, 410, 504};
      with["status"] = kStatus[draw_->index(kStatus.size())];
      if (with["status"] == 429) with["retryAfter"] = draw_->between(1, 10);
    }
    if (draw_->chance(0.5)) with["every"] = draw_->between(2, 5);
    if (draw_->chance(0.4)) with["chance"] = 0.5;
    if (draw_->chance(0.4)) with["verb"] = one_of<4>({"write", "patch", "create", "list"});
    if (kind.starts_with("watch")) with.erase("verb");
    if (draw_->chance(0.3)) {
      with["resource"] = one_of<6>({"statefulsets", "persistentvolumeclaims", "blocknodes/status",
                                    "pods", "services", "configmaps"});
    }
    if (kind == "delay" || kind == "stale-list" || kind == "watch-delay") {
      with["by"] = draw_->time(1, 40);
    }
    add(at, "fault", "", std::move(with));
    // The past is met after a restart.
    if (kind == "stale-list") add(at + seconds(1), "crash", "", {{"down", draw_->time(0, 3)}});
  }

  void pause(Duration at) {
    json::object with{{"for", draw_->time(5, 60)}, {"clock", one_of<2>({"goes", "stands"})}};
    if (schedule_->replicas > 1) with["replica"] = draw_->between(0, 1);
    add(at, "pause", "", std::move(with));
  }

  void rights(Duration at) {
    if (schedule_->replicas > 1 && draw_->chance(0.6)) {
      return add(at, "lose-lease", "", {{"for", draw_->time(5, 60)}});
    }
    if (draw_->chance(0.3)) {
      return add(at, "delete-namespace", "", {{"again", draw_->time(5, 60)}});
    }
    add(at, "forbid",
        std::string(one_of<5>(
            {"statefulsets", "persistentvolumeclaims", "pods", "services", "persistentvolumes"})),
        {{"for", draw_->time(10, 90)}});
  }

  Draw* draw_;
  const std::vector<std::string>* nodes_;
  Schedule* schedule_;
  std::vector<Duration> user_times_;
};

}  // namespace

void draw_faults(Draw& draw, const std::vector<std::string>& nodes, Schedule& schedule) {
  Faults(draw, nodes, schedule).draw();
}

}  // namespace davit::sim
