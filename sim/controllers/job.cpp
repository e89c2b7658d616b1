#include "sim/controllers/job.hpp"

#include "sim/controllers/objects.hpp"
#include "sim/controllers/workload.hpp"
#include "wire/time.hpp"

namespace davit::sim {

namespace {

using std::chrono::seconds;
using wire::ensure_object;

constexpr const char* kTracking = "batch.kubernetes.io/job-tracking";
constexpr seconds kFirstBackOff{10};
constexpr seconds kLongestBackOff{600};
constexpr seconds kRetry{5};  // after a refusal

std::int64_t number(const json::object& object, std::string_view path, std::int64_t fallback = 0) {
  return wire::find_int(object, path).value_or(fallback);
}

bool is_over(const json::object& job) {
  return condition_is(job, "Complete", "True") || condition_is(job, "Failed", "True");
}

std::int64_t restarts_of(const json::object& pod) {
  std::int64_t restarts = 0;
  for (const char* list : {"status.containerStatuses", "status.initContainerStatuses"}) {
    for_each_object(pod, list,
                    [&](const json::object& s) { restarts += number(s, "restartCount"); });
  }
  return restarts;
}

}  // namespace

struct JobController::Count {
  std::int64_t succeeded = 0, failed = 0, active = 0, ready = 0, restarts = 0;
  std::vector<Object> running;  // not finished, not deleting
  std::vector<Object> counted;  // finished: their finalizer goes once the status is written
};

void JobController::on_event(const StoredEvent& event) {
  if (event.type == &hub_->jobs) {
    if (event.after) {
      queue_.add(event.key);
    } else {
      failures_.erase(kube::uid_of(*event.before));
      // Pods must not wait for a job that is gone.
      for (const ObjectKey& key : hub_->pod_index.of_controller(kube::uid_of(*event.before))) {
        queue_.add({key.ns, event.key.name});
      }
    }
  } else if (event.type == &hub_->pods) {
    const ObjectKey owner = controller_key(event.after ? *event.after : *event.before, "Job");
    if (!owner.name.empty()) queue_.add(owner);
  }
}

bool JobController::finish_pods(const json::object& job, const ObjectKey& /*key*/, Count& count) {
  bool new_failure = false;
  for (Object& pod : pods_of(*hub_, job)) {
    const bool tracked = has_finalizer(*pod, kTracking);
    const bool ended = is_finished(*pod);
    if (ended || (kube::is_deleting(*pod) && wire::find_string(*pod, "spec.nodeName").empty())) {
      if (!tracked) continue;
      if (wire::find_string(*pod, "status.phase") == "Succeeded") {
        ++count.succeeded;
        failures_.erase(kube::uid_of(job));
      } else {
        ++count.failed;
        new_failure = true;
      }
      count.counted.push_back(std::move(pod));
    } else if (!kube::is_deleting(*pod)) {
      ++count.active;
      if (is_ready(*pod)) ++count.ready;
      count.restarts += restarts_of(*pod);
      count.running.push_back(std::move(pod));
    }
  }
  return new_failure;
}

void JobController::sync(const ObjectKey& key) {
  const Object job = hub_->store.get(hub_->jobs, key);
  const auto release = [&](const std::vector<Object>& pods) {
    for (const Object& pod : pods) {
      hub_->write(hub_->pods, pod, "", "kube-controller-manager", [](json::object& object) {
        json::object& metadata = ensure_object(object, "metadata");
        json::array kept;
        for (const json::value& name : metadata["finalizers"].as_array()) {
          if (name != json::value(kTracking)) kept.push_back(name);
        }
        metadata.erase("finalizers");
        if (!kept.empty()) metadata["finalizers"] = std::move(kept);
      });
    }
  };
  if (!job) {
    std::vector<Object> orphans;
    for (const ObjectKey& pod_key : hub_->pod_index.of_namespace(key.ns)) {
      const Object pod = hub_->pod(pod_key);
      if (pod && controller_key(*pod, "Job") == key && has_finalizer(*pod, kTracking)) {
        orphans.push_back(pod);
      }
    }
    return release(orphans);
  }
  Count count;
  count.succeeded = number(*job, "status.succeeded");
  count.failed = number(*job, "status.failed");
  if (finish_pods(*job, key, count)) {
    auto& [failures, last] = failures_[kube::uid_of(*job)];
    ++failures;
    last = now();
  }
  if (is_over(*job)) {
    release(count.counted);
    return expire(*job, key);
  }
  json::object status;
  if (const json::object* old = wire::find_object(*job, "status")) status = *old;
  json::array conditions;
  if (const json::array* old = wire::find_array(status, "conditions")) conditions = *old;
  const std::string now_text = hub_->now_text();
  const bool suspended = wire::find_bool(*job, "spec.suspend", false);
  if (!status.contains("startTime") && !suspended) status["startTime"] = now_text;
  const auto started = wire::parse_time(wire::find_string(status, "startTime"));
  const json::value* limit = wire::find(*job, "spec.activeDeadlineSeconds");
  const WallTime wall = hub_->operations.clock().wall();
  bool late = false;
  if (limit && started && !suspended) {
    const WallTime end = *started + seconds(number(*job, "spec.activeDeadlineSeconds"));
    late = wall >= end;
    if (!late) queue_.add_at(key, now() + (end - wall), Wait::kPeriodic);
  }
  const std::int64_t parallelism = number(*job, "spec.parallelism", 1);
  const json::value* completions = wire::find(*job, "spec.completions");
  const std::int64_t wanted = completions && completions->is_number()
                                  ? number(*job, "spec.completions", 1)
                                  : (parallelism == 1 ? 1 : 0);
  const bool too_many = count.failed + count.restarts > number(*job, "spec.backoffLimit", 6);
  const bool enough =
      wanted > 0 ? count.succeeded >= wanted : count.succeeded > 0 && count.active == 0;
  const auto remove_running = [&] {
    for (const Object& pod : count.running) (void)hub_->remove(hub_->pods, *pod);
  };
  if (too_many || late) {
    const char* reason = late ? "DeadlineExceeded" : "BackoffLimitExceeded";
    const char* message = late ? "Job was active longer than specified deadline"
                               : "Job has reached the specified backoff limit";
    remove_running();
    count.failed += count.active;
    count.active = count.ready = 0;
    set_condition(conditions, "FailureTarget", "True", reason, message, now_text);
    set_condition(conditions, "Failed", "True", reason, message, now_text);
  } else if (enough) {
    remove_running();
    count.active = count.ready = 0;
    set_condition(conditions, "SuccessCriteriaMet", "True", "CompletionsReached",
                  "Reached expected number of succeeded pods", now_text);
    set_condition(conditions, "Complete", "True", "CompletionsReached",
                  "Reached expected number of succeeded pods", now_text);
    status["completionTime"] = now_text;
  } else if (suspended) {
    remove_running();
    count.active = count.ready = 0;
    status.erase("startTime");
    set_condition(conditions, "Suspended", "True", "JobSuspended", "Job suspended", now_text);
  } else {
    if (condition_is(*job, "Suspended", "True")) {
      set_condition(conditions, "Suspended", "False", "JobResumed", "Job resumed", now_text);
    }
    if (!kube::is_deleting(*job)) make_pods(*job, key, count);
  }
  if (!conditions.empty()) status["conditions"] = std::move(conditions);
  set_count(status, "active", count.active);
  set_count(status, "succeeded", count.succeeded);
  set_count(status, "failed", count.failed);
  status["ready"] = count.ready;
  status["terminating"] = 0;
  status["uncountedTerminatedPods"] = json::object{};
  write_status(*hub_, hub_->jobs, *job, std::move(status));
  release(count.counted);
}

void JobController::make_pods(const json::object& job, const ObjectKey& key, Count& count) {
  const std::int64_t parallelism = number(job, "spec.parallelism", 1);
  const json::value* completions = wire::find(job, "spec.completions");
  std::int64_t wanted = parallelism;
  if (completions && completions->is_number()) {
    wanted = std::min(parallelism, number(job, "spec.completions", 1) - count.succeeded);
  } else if (count.succeeded > 0) {
    wanted = count.active;
  }
  if (const auto failed = failures_.find(kube::uid_of(job)); failed != failures_.end()) {
    const auto& [failures, last] = failed->second;
    const Duration pause =
        std::min<Duration>(kFirstBackOff * (1LL << std::min(failures - 1, 10)), kLongestBackOff);
    if (now() < last + pause) {
      return queue_.add_at(key, last + pause, Wait::kPeriodic);
    }
  }
  const std::string uid = kube::uid_of(job).value;
  for (; count.active < wanted; ++count.active) {
    json::object pod = pod_from_template(job);
    json::object& metadata = ensure_object(pod, "metadata");
    metadata["generateName"] = key.name + "-";
    metadata["finalizers"] = json::array{kTracking};
    json::object& labels = ensure_object(metadata, "labels");
    for (const char* prefix : {"", "batch.kubernetes.io/"}) {
      labels[std::string(prefix) + "job-name"] = key.name;
      labels[std::string(prefix) + "controller-uid"] = uid;
    }
    if (hub_->create(hub_->pods, key.ns, std::move(pod))) continue;
    return queue_.add_at(key, now() + kRetry, Wait::kPeriodic);
  }
}

void JobController::expire(const json::object& job, const ObjectKey& key) {
  const auto ttl = wire::find_int(job, "spec.ttlSecondsAfterFinished");
  if (!ttl || kube::is_deleting(job)) return;
  const json::object* end = condition_of(job, "Complete");
  if (!end) end = condition_of(job, "Failed");
  const auto ended = wire::parse_time(wire::find_string(*end, "lastTransitionTime"));
  const WallTime wall = hub_->operations.clock().wall();
  const WallTime due = (ended ? *ended : wall) + seconds(*ttl);
  if (wall < due) return queue_.add_at(key, now() + (due - wall), Wait::kPeriodic);
  (void)hub_->remove(hub_->jobs, job, {.propagation = "Foreground"});
}

}  // namespace davit::sim
