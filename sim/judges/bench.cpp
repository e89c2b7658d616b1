#include <ranges>

#include "sim/judges/facts.hpp"

namespace davit::sim {

namespace {

// Davit's longest wait before it tries something again by itself: a contested field's ten minutes.
constexpr Duration kPatience = std::chrono::minutes(11);
constexpr Duration kStep = std::chrono::minutes(1);
constexpr Duration kLongestSettling = std::chrono::hours(1);
constexpr Duration kSilence = std::chrono::minutes(10);
// One rule broken again and again says no more than the first few times.
constexpr std::ptrdiff_t kEnough = 5;

}  // namespace

void Judge::object(World& world, std::string sentence) {
  if (violations_ == nullptr) return;
  const auto mine = std::ranges::count(*violations_, name(), &Violation::judge);
  if (mine >= kEnough) return;
  violations_->push_back({std::string(name()), world.loop.now(), std::move(sentence)});
}

Bench::Bench(World& world, std::vector<std::unique_ptr<Judge>> judges)
    : world_(&world), judges_(std::move(judges)), last_solid_write_(world.loop.now()) {
  for (const auto& judge : judges_) judge->violations_ = &violations_;
  world.server.on_request([this, watches = watches_](const RequestInfo& info,
                                                     const io::HttpRequest& request,
                                                     const io::HttpResponse* response) {
    if (*watches) this->request(info, request, response);
  });
  world.server.store().on_event([this, watches = watches_](const StoredEvent& event) {
    if (*watches) change(event);
  });
}

Bench::~Bench() { *watches_ = false; }

void Bench::request(const RequestInfo& info, const io::HttpRequest& request,
                    const io::HttpResponse* response) {
  const RequestSeen seen{&info, &request, response};
  for (const auto& judge : judges_) judge->saw(*world_, seen);
}

void Bench::change(const StoredEvent& event) {
  ChangeSeen seen{.event = &event, .cause = world_->server.current()};
  seen.by_davit = seen.cause != nullptr && World::is_davit(seen.cause->user);
  seen.only_volatile =
      seen.by_davit && facts::is(event, "blocknodes") && facts::only_volatile(event);
  if (seen.by_davit && !seen.only_volatile && !facts::is(event, "leases")) {
    last_solid_write_ = world_->loop.now();
  }
  for (const auto& judge : judges_) judge->saw(*world_, seen);
}

bool Bench::any_runs() const {
  for (unsigned replica = 0; replica < world_->options().replicas; ++replica) {
    if (world_->runs(replica)) return true;
  }
  return false;
}

void Bench::end() {
  if (!any_runs()) world_->start();
  const Monotonic begin = world_->loop.now();
  last_solid_write_ = begin;
  while (world_->loop.now() - last_solid_write_ < kPatience &&
         world_->loop.now() - begin < kLongestSettling) {
    world_->advance(kStep);
  }
  world_->advance(kSilence);
  for (const auto& judge : judges_) judge->at_end(*world_);
}

}  // namespace davit::sim
