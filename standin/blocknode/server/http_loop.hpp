// The server's main loop and its tiny HTTP/1.1 servers: one thread, poll(2), GET and HEAD only.
//
//   HttpLoop loop;
//   loop.listen(40983, [](const HttpLoop::Request& r) { return HttpLoop::Answer{200, "OK"}; });
//   for (;;) loop.run_once(timeout);   // returns early on traffic, on wake() and on SIGTERM
//
// Every answer closes its connection, as the real health server does since issue #3168. A request
// knows how many others of its listener are still being answered: that is what 429 is made of.
// All calls on one thread, but wake(), which any thread may call.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <list>
#include <string>
#include <vector>

namespace davit::standin {

class HttpLoop {
 public:
  struct Request {
    std::string method;
    std::string path;
    int being_answered = 0;  // other requests on the same port
  };
  struct Answer {
    int status = 200;
    std::string body;
    std::string content_type = "text/plain";
    std::string headers;  // more header lines, each ended by CR LF
    std::chrono::milliseconds delay{0};
  };
  using Handler = std::function<Answer(const Request&)>;

  HttpLoop();
  ~HttpLoop();
  HttpLoop(const HttpLoop&) = delete;
  HttpLoop& operator=(const HttpLoop&) = delete;

  std::expected<void, std::string> listen(std::uint16_t port, Handler handler);
  void run_once(std::chrono::milliseconds timeout);
  void wake() const;
  bool terminated() const { return terminated_; }  // SIGTERM or SIGINT arrived

 private:
  using Clock = std::chrono::steady_clock;

  struct Listener {
    int descriptor;
    Handler handler;
  };
  struct Connection {
    int descriptor;
    const Listener* listener;
    std::string input;
    std::string output;
    bool answered = false;
    Clock::time_point send_at{};
    Clock::time_point give_up{};
  };

  void accept_from(const Listener& listener);
  bool read_from(Connection& connection);  // false: close it
  bool write_to(Connection& connection);
  void answer(Connection& connection);

  int wake_ = -1;
  int signals_ = -1;
  bool terminated_ = false;
  std::list<Listener> listeners_;
  std::list<Connection> connections_;
};

}  // namespace davit::standin
