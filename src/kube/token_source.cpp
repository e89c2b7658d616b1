#include "kube/token_source.hpp"

#include "kube/file.hpp"

namespace davit::kube {

namespace {

constexpr Duration kReread = std::chrono::seconds(60);
constexpr Duration kSpacing = std::chrono::seconds(1);

}  // namespace

TokenSource::TokenSource(const Clock& clock, std::string text, std::string file)
    : clock_(&clock), token_(std::move(text)), file_(std::move(file)) {}

std::string TokenSource::current() {
  if (!file_.empty()) {
    const Duration age = read_at_ ? clock_->now() - *read_at_ : kReread;
    if (age >= kReread || (stale_ && age >= kSpacing)) read();
  }
  return token_;
}

void TokenSource::invalidate() { stale_ = true; }

void TokenSource::read() {
  read_at_ = clock_->now();
  auto content = read_file(file_);
  if (content) {
    content->erase(content->find_last_not_of(" \t\r\n") + 1);
    if (content->empty()) content = fail(Code::kInvalid, file_ + " is empty");
  }
  if (!content) {
    error_ = std::move(content.error());
    return;
  }
  token_ = std::move(*content);
  stale_ = false;
  error_.reset();
}

}  // namespace davit::kube
