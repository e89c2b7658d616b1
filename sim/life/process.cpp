#include "sim/life/process.hpp"

#include <fmt/format.h>

namespace davit::sim {

namespace {

// A watch as it arrives: whole lines, late, twice or out of order where the shape says so.
class ProcessBody final : public io::BodyStream {
 public:
  ProcessBody(ProcessLoop& loop, Random& random, std::unique_ptr<io::BodyStream> body,
              WatchShape shape)
      : loop_(&loop), random_(&random), body_(std::move(body)), shape_(shape) {}

  io::Task<Result<std::string>> read(io::Deadline deadline) override {
    auto piece = co_await body_->read({loop_->outside(deadline.at)});
    if (loop_->paused()) co_await loop_->gate();
    if (!piece || piece->empty() || !shape_.any()) co_return piece;
    if (shape_.delay.count() > 0) {
      co_await io::sleep_for(
          *loop_, Duration(static_cast<Duration::rep>(static_cast<double>(shape_.delay.count()) *
                                                      random_->unit())));
    }
    co_return spoil(std::move(*piece));
  }

 private:
  static std::string_view name_in(std::string_view line) {
    const std::size_t at = line.find("\"name\":");
    return at == std::string_view::npos ? line : line.substr(at, 60);
  }
  // Bookmarks and errors keep their places: nothing may be promised too early.
  static bool is_event(std::string_view line) {
    return line.find("\"BOOKMARK\"") == std::string_view::npos &&
           line.find("\"ERROR\"") == std::string_view::npos;
  }
  std::string spoil(std::string piece) {
    std::vector<std::string> lines;
    std::size_t begin = 0;
    for (std::size_t end; (end = piece.find('\n', begin)) != std::string::npos; begin = end + 1) {
      lines.push_back(piece.substr(begin, end + 1 - begin));
      if (is_event(lines.back()) && random_->unit() < shape_.duplicate) {
        lines.push_back(lines.back());
      }
    }
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if (is_event(lines[i]) && is_event(lines[i - 1]) &&
          name_in(lines[i]) != name_in(lines[i - 1]) && random_->unit() < shape_.reorder) {
        std::swap(lines[i], lines[i - 1]);
      }
    }
    std::string out;
    for (const std::string& line : lines) out += line;
    return out + piece.substr(begin);
  }

  ProcessLoop* loop_;
  Random* random_;
  std::unique_ptr<io::BodyStream> body_;
  WatchShape shape_;
};

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

Logger logger_of(const std::function<void(std::string_view)>* line, const Clock& clock) {
  if (line == nullptr || !*line) return Logger::silent();
  return Logger({.level = LogLevel::kDebug, .sink = *line}, clock);
}

}  // namespace

io::Task<Result<io::HttpResponse>> ProcessTransport::send(io::HttpRequest request,
                                                          io::Deadline deadline) {
  const io::Deadline outside{loop_->outside(deadline.at)};
  if (network_->any()) {
    if (const auto past = network_->past_of(request);
        past && request.target.find("continue=") == std::string::npos) {
      request.target += fmt::format("{}resourceVersion={}&resourceVersionMatch=Exact",
                                    request.target.contains('?') ? '&' : '?', *past);
    }
    // What the first answer said nobody hears.
    if (network_->sends_twice(request)) {
      io::HttpRequest again = request;
      (void)co_await server_->send(std::move(again), outside);
    }
  }
  auto response = co_await server_->send(std::move(request), outside);
  if (loop_->paused()) co_await loop_->gate();
  co_return response;
}

io::Task<Result<io::StreamingResponse>> ProcessTransport::open(io::HttpRequest request,
                                                               io::Deadline deadline) {
  const WatchShape shape = network_->any() ? network_->shape_of(request) : WatchShape{};
  auto response = co_await server_->open(std::move(request), {loop_->outside(deadline.at)});
  if (loop_->paused()) co_await loop_->gate();
  if (response) {
    response->body =
        std::make_unique<ProcessBody>(*loop_, network_->random(), std::move(response->body), shape);
  }
  co_return response;
}

template <typename T>
io::Task<Result<T>> ProcessProbe::pass(io::Task<Result<T>> task) {
  auto answer = co_await std::move(task);
  if (loop_->paused()) co_await loop_->gate();
  co_return answer;
}

io::Task<Result<blocknode::HealthReply>> ProcessProbe::health(blocknode::Address health,
                                                              io::Deadline deadline) {
  return pass(nodes_->health(std::move(health), outside(deadline)));
}
io::Task<Result<blocknode::ServerStatus>> ProcessProbe::server_status(blocknode::Address grpc,
                                                                      io::Deadline deadline) {
  return pass(nodes_->server_status(std::move(grpc), outside(deadline)));
}
io::Task<Result<blocknode::ServerDetail>> ProcessProbe::server_detail(blocknode::Address grpc,
                                                                      io::Deadline deadline) {
  return pass(nodes_->server_detail(std::move(grpc), outside(deadline)));
}
io::Task<Result<blocknode::BlockReply>> ProcessProbe::block(blocknode::Address grpc,
                                                            std::uint64_t number,
                                                            io::Deadline deadline) {
  return pass(nodes_->block(std::move(grpc), number, outside(deadline)));
}
io::Task<Result<std::string>> ProcessProbe::metrics(blocknode::Address metrics,
                                                    io::Deadline deadline) {
  return pass(nodes_->metrics(std::move(metrics), outside(deadline)));
}
io::Task<Status> ProcessProbe::speaks(blocknode::Address port, io::Deadline deadline) {
  return pass(nodes_->speaks(std::move(port), outside(deadline)));
}
io::Task<Result<std::string>> ProcessProbe::agent_report(blocknode::Address agent,
                                                         io::Deadline deadline) {
  return pass(nodes_->agent_report(std::move(agent), outside(deadline)));
}

Process::Process(io::Loop& below, std::uint64_t seed, io::Transport& server, Network& network,
                 blocknode::NodeProbe& nodes, app::OperatorOptions options,
                 const std::function<void(std::string_view)>* log_line,
                 std::function<void(const std::string&)> on_exception)
    : loop(below),
      random(seed),
      api(loop, server, network),
      probe(loop, nodes),
      davit({loop, random, metrics, api, probe, logger_of(log_line, loop)}, std::move(options)),
      scope(loop, [told = std::move(on_exception)](const std::exception_ptr& error) {
        told(text_of(error));
      }) {
  scope.spawn(davit.run());
}

}  // namespace davit::sim
