// FakeTransport: answers what the test has scripted, in order, and remembers what was asked. Only
// for the tests of src/kube; what behaves like an API server is sim::ApiServer.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/http.hpp"
#include "io/manual_loop.hpp"
#include "io/scope.hpp"
#include "wire/json.hpp"

namespace davit::kube {

class FakeBody final : public io::BodyStream {
 public:
  explicit FakeBody(std::deque<Result<std::string>> pieces) : pieces_(std::move(pieces)) {}
  io::Task<Result<std::string>> read(io::Deadline /*deadline*/) override {
    if (pieces_.empty()) co_return std::string();
    auto piece = std::move(pieces_.front());
    pieces_.pop_front();
    co_return piece;
  }

 private:
  std::deque<Result<std::string>> pieces_;
};

class FakeTransport final : public io::Transport {
 public:
  void answer(unsigned status, std::string body = "{}", io::Headers headers = {}) {
    answers_.emplace_back(io::HttpResponse{status, std::move(headers), std::move(body)});
  }
  void answer_error(Error error) { answers_.emplace_back(fail(std::move(error))); }
  // Of the next open(): a body in these pieces.
  void stream(unsigned status, std::deque<Result<std::string>> pieces) {
    bodies_.emplace_back(status, std::move(pieces));
  }

  io::Task<Result<io::HttpResponse>> send(io::HttpRequest request, io::Deadline deadline) override {
    requests.push_back(std::move(request));
    deadlines.push_back(deadline);
    if (answers_.empty()) co_return fail(Code::kUnavailable, "nothing scripted");
    auto answer = std::move(answers_.front());
    answers_.pop_front();
    co_return answer;
  }
  io::Task<Result<io::StreamingResponse>> open(io::HttpRequest request,
                                               io::Deadline deadline) override {
    requests.push_back(std::move(request));
    deadlines.push_back(deadline);
    if (bodies_.empty()) co_return fail(Code::kUnavailable, "nothing scripted");
    auto [status, pieces] = std::move(bodies_.front());
    bodies_.pop_front();
    co_return io::StreamingResponse{status, {}, std::make_unique<FakeBody>(std::move(pieces))};
  }

  [[nodiscard]] json::object body(std::size_t i) const {
    return wire::parse_json_object(requests.at(i).body).value();
  }
  [[nodiscard]] std::string content_type(std::size_t i) const {
    return std::string(io::find_header(requests.at(i).headers, "content-type").value_or(""));
  }

  std::vector<io::HttpRequest> requests;
  std::vector<io::Deadline> deadlines;

 private:
  std::deque<Result<io::HttpResponse>> answers_;
  std::deque<std::pair<unsigned, std::deque<Result<std::string>>>> bodies_;
};

// Runs a task to its end without letting time pass.
template <typename T>
T run(io::ManualLoop& loop, io::Task<T> task) {
  std::optional<T> answer;
  io::Scope scope(loop);
  scope.spawn([](io::Task<T> inner, std::optional<T>& slot) -> io::Task<void> {
    slot.emplace(co_await std::move(inner));
  }(std::move(task), answer));
  loop.run_ready();
  if (!answer) throw std::runtime_error("the task did not end");
  return std::move(*answer);
}

}  // namespace davit::kube
