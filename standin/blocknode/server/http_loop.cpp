#include "standin/blocknode/server/http_loop.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace davit::standin {
namespace {

constexpr std::size_t kMaxRequestBytes = 16 * 1024;
constexpr std::size_t kMaxConnections = 200;
constexpr auto kPatience = std::chrono::seconds(30);

const char* reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 404:
      return "Not Found";
    case 429:
      return "Too Many Requests";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

// Dual stack where the kernel has IPv6, IPv4 alone elsewhere. -1 with errno on failure.
int bind_any(std::uint16_t port) {
  const int yes = 1;
  const int no = 0;
  int out = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int result = -1;
  if (out >= 0) {
    setsockopt(out, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    setsockopt(out, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    result = bind(out, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    if (result != 0 && errno != EADDRNOTAVAIL) {
      const int why = errno;
      close(out);
      errno = why;
      return -1;
    }
  }
  if (result != 0) {
    if (out >= 0) close(out);
    out = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (out < 0) return -1;
    setsockopt(out, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    result = bind(out, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  if (result == 0) result = listen(out, 128);
  if (result == 0) return out;
  const int why = errno;
  close(out);
  errno = why;
  return -1;
}

}  // namespace

HttpLoop::HttpLoop() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  // Blocked before any other thread starts, so that all inherit the mask.
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

HttpLoop::~HttpLoop() {
  for (const Connection& connection : connections_) close(connection.descriptor);
  for (const Listener& listener : listeners_) close(listener.descriptor);
  close(wake_);
  close(signals_);
}

void HttpLoop::wake() const {
  const std::uint64_t one = 1;
  (void)!write(wake_, &one, sizeof one);
}

std::expected<void, std::string> HttpLoop::listen(std::uint16_t port, Handler handler) {
  const int descriptor = bind_any(port);
  if (descriptor < 0) return std::unexpected(std::generic_category().message(errno));
  listeners_.push_back({descriptor, std::move(handler)});
  return {};
}

void HttpLoop::run_once(std::chrono::milliseconds timeout) {
  std::vector<pollfd> polled = {{signals_, POLLIN, 0}, {wake_, POLLIN, 0}};
  for (const Listener& listener : listeners_) polled.push_back({listener.descriptor, POLLIN, 0});
  const auto now = Clock::now();
  for (const Connection& connection : connections_) {
    short events = 0;
    if (!connection.answered) events = POLLIN;
    if (connection.answered && connection.send_at <= now) events = POLLOUT;
    if (connection.answered && connection.send_at > now) {
      timeout =
          std::min(timeout, std::chrono::ceil<std::chrono::milliseconds>(connection.send_at - now));
    }
    polled.push_back({connection.descriptor, events, 0});
  }
  if (poll(polled.data(), polled.size(), static_cast<int>(timeout.count())) < 0) return;

  if (polled[0].revents != 0) {
    signalfd_siginfo info{};
    terminated_ = read(signals_, &info, sizeof info) > 0;
  }
  if (polled[1].revents != 0) {
    std::uint64_t count = 0;
    (void)!read(wake_, &count, sizeof count);
  }
  std::size_t at = 2 + listeners_.size();
  for (auto it = connections_.begin(); it != connections_.end(); ++at) {
    const short events = polled[at].revents;
    bool keep = it->give_up > Clock::now();
    if (keep && (events & POLLIN) != 0) keep = read_from(*it);
    if (keep && (events & POLLOUT) != 0) keep = write_to(*it);
    if ((events & (POLLERR | POLLNVAL)) != 0) keep = false;
    if ((events & POLLHUP) != 0 && (events & POLLIN) == 0) keep = false;
    if (keep) {
      ++it;
    } else {
      close(it->descriptor);
      it = connections_.erase(it);
    }
  }
  std::size_t index = 2;
  for (const Listener& listener : listeners_) {
    if (polled[index++].revents != 0) accept_from(listener);
  }
}

void HttpLoop::accept_from(const Listener& listener) {
  while (connections_.size() < kMaxConnections) {
    const int descriptor =
        accept4(listener.descriptor, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0) return;
    connections_.push_back({descriptor, &listener, {}, {}, false, {}, Clock::now() + kPatience});
  }
}

bool HttpLoop::read_from(Connection& connection) {
  std::array<char, 4096> buffer{};
  const ssize_t got = read(connection.descriptor, buffer.data(), buffer.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  connection.input.append(buffer.data(), static_cast<std::size_t>(got));
  if (connection.input.find("\r\n\r\n") != std::string::npos) answer(connection);
  return connection.input.size() <= kMaxRequestBytes;
}

void HttpLoop::answer(Connection& connection) {
  const std::string& line = connection.input;
  const auto space = line.find(' ');
  const auto end = line.find(' ', space + 1);
  Request request;
  request.method = line.substr(0, space);
  if (space != std::string::npos) request.path = line.substr(space + 1, end - space - 1);
  request.being_answered =
      static_cast<int>(std::ranges::count_if(connections_, [&](const Connection& other) {
        return &other != &connection && other.listener == connection.listener && other.answered;
      }));
  const Answer reply = connection.listener->handler(request);
  connection.output = "HTTP/1.1 " + std::to_string(reply.status) + " " + reason(reply.status) +
                      "\r\nContent-Type: " + reply.content_type +
                      "\r\nContent-Length: " + std::to_string(reply.body.size()) + "\r\n" +
                      reply.headers + "Connection: close\r\n\r\n";
  if (request.method != "HEAD") connection.output += reply.body;
  connection.answered = true;
  connection.send_at = Clock::now() + reply.delay;
  connection.give_up = connection.send_at + kPatience;
}

bool HttpLoop::write_to(Connection& connection) {
  const ssize_t done =
      write(connection.descriptor, connection.output.data(), connection.output.size());
  if (done < 0) return errno == EAGAIN || errno == EINTR;
  connection.output.erase(0, static_cast<std::size_t>(done));
  return !connection.output.empty();
}

}  // namespace davit::standin
