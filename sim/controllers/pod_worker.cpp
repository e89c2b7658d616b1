#include "sim/controllers/pod_worker.hpp"

#include <fmt/format.h>

#include "sim/controllers/objects.hpp"
#include "sim/controllers/pod_status.hpp"

namespace davit::sim {

namespace {

using State = ContainerLife::State;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kFirstBackOff = seconds(10);
constexpr Duration kLongestBackOff = minutes(5);
// How often the kubelet looks at its containers, and again for what it waits for.
constexpr Duration kRelist = seconds(1);
constexpr Duration kRetry = seconds(10);

bool is_forgotten(const BackOff& back_off, Monotonic event) {
  return back_off.delay.count() == 0 || event - back_off.last > 2 * kLongestBackOff;
}

void lengthen(BackOff& back_off, Monotonic event, Monotonic now) {
  back_off.delay = is_forgotten(back_off, event)
                       ? kFirstBackOff
                       : std::min<Duration>(2 * back_off.delay, kLongestBackOff);
  back_off.last = now;
}

long long in_seconds(Duration duration) {
  return std::chrono::duration_cast<seconds>(duration).count();
}

// As Go prints a duration of whole seconds.
std::string go_text(Duration duration) {
  const long long total = in_seconds(duration);
  return total < 60 ? fmt::format("{}s", total) : fmt::format("{}m{}s", total / 60, total % 60);
}

}  // namespace

void PodWorker::later(Monotonic when, Wait wait) {
  if (wait == Wait::kProgress) wait_ = wait;
  if (!next_ || when < *next_) next_ = when;
}

ContainerRef PodWorker::ref(const ContainerLife& container) const {
  return {life_->pod.get(), container.name};
}

const json::object* PodWorker::spec(const ContainerLife& container) const {
  const json::array* list =
      wire::find_array(*life_->pod, container.init ? "spec.initContainers" : "spec.containers");
  if (!list) return nullptr;
  for (const json::value& entry : *list) {
    if (wire::find_string(entry.as_object(), "name") == container.name) return &entry.as_object();
  }
  return nullptr;
}

void PodWorker::advance(const std::function<void()>& attach) {
  if (life_->over) return;
  if (kube::is_deleting(*life_->pod)) {
    begin_end();
    return end();
  }
  if (!life_->phase.empty()) return;
  const Monotonic starts = life_->bound + facts_.start_time;
  if (now_ < starts) return later(starts, Wait::kProgress);
  if (!life_->sandbox) {
    if (!volumes_are_there()) return later(now_ + kRetry, Wait::kPeriodic);
    life_->sandbox = true;
    life_->dirty = true;
    attach();
  }
  start_containers();
}

bool PodWorker::volumes_are_there() { return mount_error(facts_.hub, *life_->pod).empty(); }

void PodWorker::start_containers() {
  bool initialized = true;
  for (ContainerLife& container : life_->init) {
    step(container);
    initialized = container.init_done();
    if (!initialized) break;
  }
  if (initialized) {
    for (ContainerLife& container : life_->main) step(container);
  }
  const std::string_view phase = pod_phase(*life_);
  if (phase != "Succeeded" && phase != "Failed") return;
  // The sidecars go with the last of the others.
  for (ContainerLife& container : life_->init) {
    if (!container.runs()) continue;
    facts_.runtime.kill(ref(container));
    finish(container, 143, "Error", "");
  }
  life_->phase = phase;
}

void PodWorker::step(ContainerLife& container) {
  if (container.state == State::kTerminated) after_end(container);
  if (container.state == State::kWaiting) try_start(container);
  if (container.state == State::kRunning) run(container);
}

void PodWorker::set_waiting(ContainerLife& container, std::string_view reason,
                            std::string message) {
  if (container.state == State::kTerminated) container.last_ended = container.ended;
  if (container.state == State::kWaiting && container.reason == reason &&
      container.message == message) {
    return;
  }
  container.state = State::kWaiting;
  container.reason = reason;
  container.message = std::move(message);
  life_->dirty = true;
}

void PodWorker::try_start(ContainerLife& container) {
  const json::object* settings = spec(container);
  if (!settings) return;
  if (now_ < container.not_before) return later(container.not_before, Wait::kPeriodic);
  if (!has_image(container)) return;
  const std::string error =
      configuration_error(facts_.hub, kube::key_of(*life_->pod).ns, *settings);
  if (!error.empty()) {
    set_waiting(container, "CreateContainerConfigError", error);
    container.not_before = now_ + kRetry;
    return later(container.not_before, Wait::kPeriodic);
  }
  container.state = State::kRunning;
  container.reason.clear();
  container.message.clear();
  container.since = now_;
  container.started_at = facts_.hub.now_text();
  ++container.starts;
  container.kill_at.reset();
  container.started = !settings->contains("startupProbe");
  container.ready = container.started && !settings->contains("readinessProbe");
  container.startup = container.liveness = container.readiness = {};
  life_->dirty = true;
  facts_.runtime.start(ref(container));
}

// False: it cannot be had now; the reason alternates as the kubelet's does: a try, then the wait
// for the next.
bool PodWorker::has_image(ContainerLife& container) {
  const json::object& settings = *spec(container);
  const std::string image(wire::find_string(settings, "image"));
  const bool here =
      facts_.images.contains(image) && wire::find_string(settings, "imagePullPolicy") != "Always";
  if (here || !facts_.missing_images.contains(image)) {
    facts_.images.insert(image);
    return true;
  }
  const std::string error = fmt::format(
      "failed to pull and unpack image \"{0}\": failed to resolve reference \"{0}\": {0}: not "
      "found",
      image);
  if (container.reason == "ErrImagePull") {
    set_waiting(container, "ImagePullBackOff",
                fmt::format("Back-off pulling image \"{}\": ErrImagePull: {}", image, error));
    container.not_before = container.pulls.last + container.pulls.delay;
  } else {
    lengthen(container.pulls, now_, now_);
    set_waiting(container, "ErrImagePull", error);
    container.not_before = now_ + 2 * kRelist;
  }
  later(container.not_before, Wait::kPeriodic);
  return false;
}

void PodWorker::run(ContainerLife& container) {
  if (!look(container)) return;
  if (container.kill_at) {
    if (now_ < *container.kill_at) return later(*container.kill_at, Wait::kProgress);
    facts_.runtime.kill(ref(container));
    finish(container, container.heeds ? 143 : 137, "Error", "");
    return later(now_ + kRelist, Wait::kProgress);
  }
  run_probes(container);
}

// False: it has ended.
bool PodWorker::look(ContainerLife& container) {
  const ContainerLook seen = facts_.runtime.look(ref(container));
  if (!seen.exit_code) {
    if (seen.again) later(now_ + std::max<Duration>(*seen.again, kRelist / 1000), Wait::kPeriodic);
    return true;
  }
  finish(container, *seen.exit_code, *seen.exit_code == 0 ? "Completed" : "Error", seen.message);
  if (restarts(*life_, container)) later(now_ + kRelist, Wait::kProgress);
  return false;
}

void PodWorker::finish(ContainerLife& container, int exit_code, std::string_view reason,
                       std::string_view message) {
  container.ended = json::object{{"exitCode", exit_code},
                                 {"reason", reason},
                                 {"startedAt", container.started_at},
                                 {"finishedAt", facts_.hub.now_text()},
                                 {"containerID", fmt::format("containerd://{}-{}-{}", life_->uid,
                                                             container.name, container.starts)}};
  if (!message.empty()) container.ended["message"] = message;
  container.state = State::kTerminated;
  container.exit_code = exit_code;
  container.since = now_;
  container.started = container.ready = false;
  container.kill_at.reset();
  life_->dirty = true;
}

void PodWorker::after_end(ContainerLife& container) {
  if (!restarts(*life_, container)) return;
  if (now_ < container.since + kRelist) return later(container.since + kRelist, Wait::kProgress);
  const BackOff& back_off = container.crashes;
  container.not_before = now_;
  if (!is_forgotten(back_off, container.since) && now_ - container.since < back_off.delay) {
    container.not_before = container.since + back_off.delay;
    const ObjectKey key = kube::key_of(*life_->pod);
    set_waiting(container, "CrashLoopBackOff",
                fmt::format("back-off {} restarting failed container={} pod={}_{}({})",
                            go_text(back_off.delay), container.name, key.name, key.ns, life_->uid));
  } else {
    container.last_ended = container.ended;
    container.state = State::kWaiting;
  }
  lengthen(container.crashes, container.since, container.not_before);
}

void PodWorker::ask_to_stop(ContainerLife& container, Monotonic latest) {
  container.heeds = facts_.runtime.terminate(ref(container));
  container.kill_at = container.heeds ? std::min(now_ + facts_.stop_time, latest) : latest;
  later(*container.kill_at, Wait::kProgress);
}

void PodWorker::kill_all(int exit_code, std::string_view reason) {
  for (std::vector<ContainerLife>* group : {&life_->main, &life_->init}) {
    for (ContainerLife& container : *group) {
      if (!container.runs()) continue;
      facts_.runtime.kill(ref(container));
      finish(container, exit_code, reason, "");
    }
  }
}

void PodWorker::run_probes(ContainerLife& container) {
  const json::object& settings = *spec(container);
  if (!container.started) {
    const json::object* startup = wire::find_object(settings, "startupProbe");
    if (!startup) return;
    const auto word = probe(container, *startup, container.startup);
    if (word && !*word) {
      return ask_to_stop(
          container,
          now_ +
              seconds(
                  wire::find_int(*life_->pod, "spec.terminationGracePeriodSeconds").value_or(30)));
    }
    if (!word) return;
    container.started = true;
    container.ready = !settings.contains("readinessProbe");
    life_->dirty = true;
  }
  if (const json::object* liveness = wire::find_object(settings, "livenessProbe")) {
    const auto word = probe(container, *liveness, container.liveness);
    if (word && !*word) {
      const auto own = wire::find_int(*liveness, "terminationGracePeriodSeconds");
      const auto pods = wire::find_int(*life_->pod, "spec.terminationGracePeriodSeconds");
      return ask_to_stop(container, now_ + seconds(own.value_or(pods.value_or(30))));
    }
  }
  if (const json::object* readiness = wire::find_object(settings, "readinessProbe")) {
    const auto word = probe(container, *readiness, container.readiness);
    if (word && container.ready != *word) {
      container.ready = *word;
      life_->dirty = true;
    }
  }
}

std::optional<bool> PodWorker::probe(ContainerLife& container, const json::object& settings,
                                     ProbeLife& probe) {
  const auto number = [&](std::string_view name, std::int64_t fallback) {
    return wire::find_int(settings, name).value_or(fallback);
  };
  if (!probe.next) probe.next = container.since + seconds(number("initialDelaySeconds", 0));
  if (now_ < *probe.next) {
    later(*probe.next, Wait::kPeriodic);
    return std::nullopt;
  }
  const seconds period(std::max<std::int64_t>(1, number("periodSeconds", 10)));
  probe.next = now_ + period;
  later(*probe.next, Wait::kPeriodic);
  const bool answers = facts_.runtime.probe(ref(container), settings);
  probe.successes = answers ? probe.successes + 1 : 0;
  probe.failures = answers ? 0 : probe.failures + 1;
  if (answers) {
    return probe.successes >= number("successThreshold", 1) ? std::optional(true) : std::nullopt;
  }
  return probe.failures >= number("failureThreshold", 3) ? std::optional(false) : std::nullopt;
}

void PodWorker::begin_end() {
  const seconds grace(
      wire::find_int(*life_->pod, "metadata.deletionGracePeriodSeconds").value_or(30));
  if (life_->ends_at) {
    // A second, more impatient deletion.
    life_->ends_at = std::min(*life_->ends_at, now_ + grace);
    return;
  }
  life_->ends_at = now_ + grace;
  std::int64_t sleep = 0;
  for_each_object(*life_->pod, "spec.containers", [&](const json::object& container) {
    sleep =
        std::max(sleep, wire::find_int(container, "lifecycle.preStop.sleep.seconds").value_or(0));
  });
  life_->term_at = now_ + std::min(grace, seconds(sleep));
}

void PodWorker::end() {
  if (now_ < *life_->term_at) {
    later(*life_->term_at, Wait::kProgress);
    for (ContainerLife& container : life_->main) {
      if (container.runs()) look(container);
    }
    return;
  }
  if (!stop_group(life_->main, false) || !stop_group(life_->init, true)) return;
  life_->over = true;
  life_->dirty = true;
}

// Sidecars stop one after the other, in reverse. True: none runs any more.
bool PodWorker::stop_group(std::vector<ContainerLife>& containers, bool sidecars) {
  bool all_stopped = true;
  for (auto container = containers.rbegin(); container != containers.rend(); ++container) {
    if (!container->runs() || !look(*container)) continue;
    if (!container->kill_at) ask_to_stop(*container, *life_->ends_at);
    container->kill_at = std::min(*container->kill_at, *life_->ends_at);
    if (now_ >= *container->kill_at) {
      facts_.runtime.kill(ref(*container));
      finish(*container, container->heeds ? 143 : 137, "Error", "");
      continue;
    }
    later(*container->kill_at, Wait::kProgress);
    all_stopped = false;
    if (sidecars) return false;
  }
  return all_stopped;
}

}  // namespace davit::sim
