#include "sim/life/generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/random.hpp"
#include "sim/life/faults_drawn.hpp"

namespace davit::sim {

namespace {

using std::chrono::seconds;

// One BlockNode's part of a life.
class NodeLife {
 public:
  NodeLife(Draw& draw, std::string name, Duration length)
      : draw_(&draw), name_(std::move(name)), object_("blocknodes/" + name_), length_(length) {}

  void live(std::vector<Step>& steps) {
    steps_ = &steps;
    Duration at = draw_->between(seconds(1), seconds(20));
    add(at, "create", creation());
    if (draw_->chance(0.8)) {
      add(draw_->between(at, at + seconds(120)), "publish",
          {{"rate", 1}, {"every", fmt::format("{}s", draw_->between(3, 8))}});
    }
    const Duration last = length_ - seconds(draw_->chance(0.5) ? 200 : 60);
    const auto edits = draw_->between(4, 8);
    std::vector<Duration> times;
    for (std::int64_t n = 0; n < edits; ++n) {
      // Some soon after creation, while everything is still being made.
      times.push_back(draw_->chance(0.25) ? draw_->between(at, at + seconds(60))
                                          : draw_->between(at + seconds(60), last));
    }
    std::ranges::sort(times);
    for (const Duration time : times) edit(time);
    end(last);
  }

 private:
  void add(Duration at, std::string act, json::object with = {}) {
    steps_->push_back({at, std::move(act), object_, std::move(with)});
  }
  void on_child(Duration at, std::string act, json::object with = {}) {
    const std::array<std::string, 7> children{"statefulsets/" + name_,
                                              "services/" + name_,
                                              "services/" + name_ + "-headless",
                                              "configmaps/" + name_ + "-config",
                                              "serviceaccounts/" + name_,
                                              "persistentvolumeclaims/" + name_ + "-live",
                                              "persistentvolumeclaims/" + name_ + "-logs"};
    steps_->push_back(
        {at, std::move(act), children[draw_->index(children.size())], std::move(with)});
  }

  json::object creation() {
    json::object spec;
    if (draw_->chance(0.3)) {
      spec["policies"] = json::object{{"deletion", draw_->chance(0.5) ? "Delete" : "Orphan"}};
    }
    if (draw_->chance(0.25)) spec["exposure"] = json::object{{"ports", "Split"}};
    if (draw_->chance(0.2)) spec["disruptionGroup"] = "together";
    if (spec.empty()) return {};
    return {{"spec", std::move(spec)}};
  }

  void edit(Duration at) {
    switch (draw_->index(14)) {
      case 0:
      case 1:
        return add(at, "restart", {{"value", std::to_string(1000 + draw_->between(0, 500))}});
      case 2:
      case 3:
        return grow(at);
      case 4:
        add(at, "restart", {{"value", std::to_string(2000 + draw_->between(0, 500))}});
        return add(at + draw_->between(seconds(0), seconds(30)), "revert");
      case 5:
        if (std::exchange(upgraded_, true)) return grow(at);
        return add(at, "upgrade", {{"version", "0.41.0"}});
      case 6:
        return add(at, "edit", exposure());
      case 7:
        // What no server knows; the user notices.
        add(at, "edit",
            {{"spec", json::object{{"extraConfig", json::object{{"SERVER_PROT", "8080"}}}}}});
        return add(at + draw_->between(seconds(10), seconds(60)), "revert");
      case 8:
        return add(at, "wipe-status");
      case 9:
        return on_child(at, "delete");
      case 10:
        return on_child(at, "stamp",
                        {{"times", draw_->between(1, 4)},
                         {"every", fmt::format("{}s", draw_->between(1, 20))}});
      case 11:
        return on_child(at, "corrupt", {{"what", corruption()}});
      case 12:
        steps_->push_back({at, "delete", "pods/" + name_ + "-0", {}});
        return;
      default:
        return scale(at);
    }
  }

  void grow(Duration at) {
    static constexpr std::array<std::string_view, 3> kVolumes{"live", "historic", "logs"};
    static constexpr std::array<int, 3> kSizes{5, 10, 1};
    const std::size_t volume = draw_->index(kVolumes.size());
    grown_[volume] += static_cast<int>(draw_->between(1, 4));
    add(at, "grow",
        {{"volume", kVolumes[volume]},
         {"to", fmt::format("{}Gi", kSizes[volume] + grown_[volume])}});
  }

  json::object exposure() {
    json::object exposure;
    if (draw_->chance(0.5)) {
      exposure["type"] = draw_->chance(0.5) ? "NodePort" : "LoadBalancer";
    } else {
      exposure["annotations"] = json::object{{"example.com/zone", draw_->chance(0.5) ? "a" : "b"}};
    }
    return {{"spec", json::object{{"exposure", std::move(exposure)}}}};
  }

  void scale(Duration at) {
    if (draw_->chance(0.5)) {
      steps_->push_back({at,
                         "stamp",
                         "statefulsets/" + name_,
                         {{"patch", json::object{{"spec", json::object{{"replicas", 0}}}}}}});
    } else {
      steps_->push_back({at, "stamp-env", "statefulsets/" + name_, {}});
    }
  }

  std::string_view corruption() {
    static constexpr std::array<std::string_view, 5> kWhat{"owner", "owner-uid", "labels",
                                                           "managed-by", "annotations"};
    return kWhat[draw_->index(kWhat.size())];
  }

  void end(Duration last) {
    static constexpr std::array<std::string_view, 3> kHow{"Background", "Foreground", "Orphan"};
    const Duration at = draw_->between(last, length_ - seconds(30));
    if (draw_->chance(0.2)) {
      add(at, "recreate", {{"propagation", kHow[draw_->index(2)]}});
    } else if (draw_->chance(0.4)) {
      add(at, "delete", {{"propagation", kHow[draw_->index(3)]}});
      if (draw_->chance(0.5)) {
        add(draw_->between(at, at + seconds(25)), "create");
      }
    }
  }

  Draw* draw_;
  std::string name_, object_;
  Duration length_;
  std::vector<Step>* steps_ = nullptr;
  std::array<int, 3> grown_{};
  bool upgraded_ = false;
};

}  // namespace

Schedule generate(std::uint64_t seed) {
  SeededRandom random(seed * 0x9e3779b97f4a7c15ULL + 1);
  Draw draw(random);
  Schedule schedule;
  schedule.seed = seed;
  schedule.replicas = draw.chance(0.25) ? 2 : 1;
  schedule.length = seconds(draw.between(600, 1200));
  const std::size_t nodes = draw.chance(0.7) ? 1 : draw.chance(0.8) ? 2 : 3;
  std::vector<std::string> names;
  for (std::size_t n = 1; n <= nodes; ++n) {
    names.push_back(fmt::format("bn{}", n));
    NodeLife(draw, names.back(), schedule.length).live(schedule.steps);
  }
  draw_faults(draw, names, schedule);
  // By time; among equals as they were drawn.
  std::vector<std::pair<Duration, std::size_t>> order;
  for (std::size_t n = 0; n < schedule.steps.size(); ++n) {
    order.emplace_back(schedule.steps[n].at, n);
  }
  std::ranges::sort(order);
  std::vector<Step> sorted;
  for (const auto& [at, n] : order) sorted.push_back(std::move(schedule.steps[n]));
  schedule.steps = std::move(sorted);
  return schedule;
}

}  // namespace davit::sim
