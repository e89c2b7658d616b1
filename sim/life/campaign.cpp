#include "sim/life/campaign.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace davit::sim {

namespace {

json::object to_json(std::size_t index, const Outcome& o) {
  json::array violations;
  for (const Violation& v : o.violations) {
    violations.push_back(json::array{v.judge, v.at.since_epoch.count(), v.sentence});
  }
  return {{"index", index},
          {"requests", o.requests},
          {"writes", o.writes},
          {"faults", o.faults},
          {"crashes", o.crashes},
          {"starts", o.starts},
          {"digest", o.digest},
          {"time", o.time.count()},
          {"turns", o.turns},
          {"lifeWrites", o.life_writes},
          {"violations", std::move(violations)}};
}

LifeReport report_from(const json::object& line) {
  const auto number = [&](const char* name) { return line.at(name).to_number<std::uint64_t>(); };
  LifeReport report;
  report.index = number("index");
  Outcome& o = report.outcome;
  o.requests = number("requests");
  o.writes = number("writes");
  o.faults = number("faults");
  o.crashes = number("crashes");
  o.starts = number("starts");
  o.digest = number("digest");
  o.turns = number("turns");
  o.life_writes = number("lifeWrites");
  o.time = Duration(line.at("time").to_number<Duration::rep>());
  for (const json::value& value : line.at("violations").as_array()) {
    const json::array& v = value.as_array();
    o.violations.push_back({std::string(v[0].as_string()),
                            Monotonic{Duration(v[1].to_number<Duration::rep>())},
                            std::string(v[2].as_string())});
  }
  return report;
}

void write_line(int to, std::string text) {
  text += '\n';
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(to, text.data() + done, text.size() - done);
    if (wrote <= 0) ::_exit(1);  // nobody listens
    done += static_cast<std::size_t>(wrote);
  }
}

struct Job {
  pid_t pid = 0;
  int from = -1;
  std::string buffer;
  std::size_t next = 0;  // the life it is in, or will be in next
};

class Campaign {
 public:
  Campaign(std::size_t count, const std::function<Life(std::size_t)>& life_of,
           const CampaignOptions& options, const std::function<void(const LifeReport&)>& told)
      : count_(count), life_of_(&life_of), options_(&options), told_(&told) {
    if (options.time) end_ = clock_.now() + *options.time;
  }

  CampaignResult run() {
    const Monotonic begin = clock_.now();
    const unsigned jobs = std::max(1U, options_->jobs);
    stride_ = jobs;
    for (unsigned n = 0; n < jobs; ++n) begin_job(n);
    while (!jobs_.empty()) listen();
    result_.wall = clock_.now() - begin;
    return result_;
  }

 private:
  // Lives `first`, `first` + stride, …
  void begin_job(std::size_t first) {
    if (stopping_ || first >= count_) return;
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe could be made");
    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("no process could be made");
    if (pid == 0) {
      ::close(ends[0]);
      for (const Job& other : jobs_) ::close(other.from);
      work(first, ends[1]);
      ::_exit(0);
    }
    ::close(ends[1]);
    jobs_.push_back({pid, ends[0], {}, first});
  }

  void work(std::size_t first, int to) const {
    for (std::size_t n = first; n < count_ && !over(); n += stride_) {
      write_line(to, fmt::format("{}", n));
      const Life life = (*life_of_)(n);
      write_line(to, json::serialize(to_json(n, sim::run(life.schedule, life.options))));
    }
  }
  [[nodiscard]] bool over() const { return end_ && clock_.now() >= *end_; }

  void listen() {
    std::vector<pollfd> polled;
    for (const Job& job : jobs_) polled.push_back({job.from, POLLIN, 0});
    if (::poll(polled.data(), polled.size(), 1000) < 0) return;
    for (std::size_t n = polled.size(); n-- > 0;) {
      if ((polled[n].revents & (POLLIN | POLLHUP)) != 0) hear(n);
    }
  }

  void hear(std::size_t n) {
    Job& job = jobs_[n];
    char bytes[65536];
    const ssize_t got = ::read(job.from, bytes, sizeof bytes);
    if (got <= 0) return ended(n);
    job.buffer.append(bytes, static_cast<std::size_t>(got));
    for (std::size_t end; (end = job.buffer.find('\n')) != std::string::npos;) {
      const std::string line = job.buffer.substr(0, end);
      job.buffer.erase(0, end + 1);
      const auto parsed = wire::parse_json_object(line);
      if (!parsed) {
        job.next = std::stoul(line);
        continue;
      }
      const LifeReport report = report_from(*parsed);
      job.next = report.index + stride_;
      tell(report);
    }
  }

  void tell(const LifeReport& report) {
    ++result_.lives;
    (*told_)(report);
    if (!options_->stop_at_first || report.outcome.violations.empty()) return;
    stopping_ = true;
    for (const Job& job : jobs_) ::kill(job.pid, SIGKILL);
  }

  void ended(std::size_t n) {
    const Job job = jobs_[n];
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(n));
    ::close(job.from);
    int status = 0;
    ::waitpid(job.pid, &status, 0);
    if (stopping_ || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return;
    LifeReport report;
    report.index = job.next;
    report.outcome.violations.push_back(
        {"NoCrash",
         {},
         WIFSIGNALED(status) ? fmt::format("the process died of signal {}", WTERMSIG(status))
                             : fmt::format("the process ended with {}", WEXITSTATUS(status))});
    tell(report);
    begin_job(job.next + stride_);
  }

  SystemClock clock_;
  std::size_t count_;
  const std::function<Life(std::size_t)>* life_of_;
  const CampaignOptions* options_;
  const std::function<void(const LifeReport&)>* told_;
  std::optional<Monotonic> end_;
  std::size_t stride_ = 1;
  std::vector<Job> jobs_;
  bool stopping_ = false;
  CampaignResult result_;
};

}  // namespace

CampaignResult campaign(std::size_t count, const std::function<Life(std::size_t)>& life_of,
                        const CampaignOptions& options,
                        const std::function<void(const LifeReport&)>& told) {
  return Campaign(count, life_of, options, told).run();
}

}  // namespace davit::sim
