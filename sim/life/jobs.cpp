#include "sim/life/jobs.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <vector>

namespace davit::sim {

namespace {

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
  std::size_t next = 0;  // the piece it is in, or will be in next
};

class Jobs {
 public:
  Jobs(std::size_t count, const std::function<json::object(std::size_t)>& work,
       const JobsOptions& options, const std::function<bool(const Piece&)>& told)
      : count_(count), work_(&work), told_(&told), stride_(std::max(1U, options.jobs)) {
    if (options.time) end_ = clock_.now() + *options.time;
  }

  void run() {
    for (std::size_t n = 0; n < stride_; ++n) begin_job(n);
    while (!jobs_.empty()) listen();
  }

 private:
  // Does `first`, `first` + stride, …
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

  // A line with the number when a piece begins, a line of JSON when it is done.
  void work(std::size_t first, int to) const {
    for (std::size_t n = first; n < count_ && !over(); n += stride_) {
      write_line(to, fmt::format("{}", n));
      write_line(to, json::serialize((*work_)(n)));
    }
  }
  [[nodiscard]] bool over() const { return end_ && clock_.now() >= *end_; }

  void listen() {
    std::vector<pollfd> polled;
    polled.reserve(jobs_.size());
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
      auto said = wire::parse_json_object(line);
      if (!said) {
        job.next = std::stoul(line);
        continue;
      }
      const Piece piece{.index = job.next, .said = std::move(*said), .death = {}};
      job.next += stride_;
      tell(piece);
    }
  }

  void tell(const Piece& piece) {
    if (stopping_ || (*told_)(piece)) return;
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
    tell({.index = job.next,
          .said = {},
          .death = WIFSIGNALED(status)
                       ? fmt::format("the process died of signal {}", WTERMSIG(status))
                       : fmt::format("the process ended with {}", WEXITSTATUS(status))});
    begin_job(job.next + stride_);
  }

  SystemClock clock_;
  std::size_t count_;
  const std::function<json::object(std::size_t)>* work_;
  const std::function<bool(const Piece&)>* told_;
  std::optional<Monotonic> end_;
  std::size_t stride_;
  std::vector<Job> jobs_;
  bool stopping_ = false;
};

}  // namespace

void run_jobs(std::size_t count, const std::function<json::object(std::size_t)>& work,
              const JobsOptions& options, const std::function<bool(const Piece&)>& told) {
  Jobs(count, work, options, told).run();
}

}  // namespace davit::sim
