#include "io/h2_call.hpp"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <vector>

namespace davit::io {

namespace {

constexpr std::int32_t kWindow = 1 << 20;
constexpr std::size_t kOutputChunk = 64UZ << 10;

struct FreeSession {
  void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
};
struct FreeCallbacks {
  void operator()(nghttp2_session_callbacks* callbacks) const {
    nghttp2_session_callbacks_del(callbacks);
  }
};

Error broken(const char* doing, long error) {
  return {Code::kUnavailable,
          fmt::format("HTTP/2 {} failed: {}", doing, nghttp2_strerror(static_cast<int>(error)))};
}

std::uint8_t* bytes_of(const std::string& text) {
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));  // nghttp2 only reads
}

std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace

struct H2Call::Impl {
  std::unique_ptr<nghttp2_session, FreeSession> session;
  std::string request;
  std::size_t sent = 0;
  std::size_t max_bytes;
  std::int32_t stream = 0;
  bool ended = false;
  std::uint32_t reset = 0;
  Headers headers;
  std::string body;

  Impl(std::string r, std::size_t m) : request(std::move(r)), max_bytes(m) {}
  [[nodiscard]] bool too_much() const { return body.size() > max_bytes; }

  static Impl& self(void* data) { return *static_cast<Impl*>(data); }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t, void* data) {
    Impl& impl = self(data);
    if (frame->hd.stream_id == impl.stream) {
      impl.headers.emplace_back(text_of(name, name_size), text_of(value, value_size));
    }
    return 0;
  }
  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                     std::size_t size, void* data) {
    Impl& impl = self(data);
    if (id == impl.stream && !impl.too_much()) impl.body.append(text_of(bytes, size));
    return 0;
  }
  static int on_close(nghttp2_session*, std::int32_t id, std::uint32_t error, void* data) {
    Impl& impl = self(data);
    if (id != impl.stream) return 0;
    impl.ended = true;
    impl.reset = error;
    return 0;
  }
  // Trailers end the answer, also when the server has not read all of the request.
  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* data) {
    Impl& impl = self(data);
    if (frame->hd.stream_id == impl.stream && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 &&
        (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA)) {
      impl.ended = true;
    }
    return 0;
  }
  static ssize_t read_request(nghttp2_session*, std::int32_t, std::uint8_t* out, std::size_t room,
                              std::uint32_t* flags, nghttp2_data_source*, void* data) {
    Impl& impl = self(data);
    const std::size_t size = std::min(room, impl.request.size() - impl.sent);
    impl.request.copy(reinterpret_cast<char*>(out), size, impl.sent);
    impl.sent += size;
    if (impl.sent == impl.request.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }
};

H2Call::H2Call(const Headers& headers, std::string body, std::size_t max_bytes)
    : impl_(std::make_unique<Impl>(std::move(body), max_bytes)) {
  nghttp2_session_callbacks* raw = nullptr;
  nghttp2_session_callbacks_new(&raw);
  const std::unique_ptr<nghttp2_session_callbacks, FreeCallbacks> callbacks(raw);
  nghttp2_session_callbacks_set_on_header_callback(raw, &Impl::on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(raw, &Impl::on_data);
  nghttp2_session_callbacks_set_on_stream_close_callback(raw, &Impl::on_close);
  nghttp2_session_callbacks_set_on_frame_recv_callback(raw, &Impl::on_frame);
  nghttp2_session* session = nullptr;
  nghttp2_session_client_new(&session, raw, impl_.get());
  impl_->session.reset(session);

  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(kWindow)}};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kWindow);

  std::vector<nghttp2_nv> fields;
  for (const auto& [name, value] : headers) {
    fields.push_back(
        {bytes_of(name), bytes_of(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
  }
  nghttp2_data_provider provider{};
  provider.read_callback = &Impl::read_request;
  impl_->stream =
      nghttp2_submit_request(session, nullptr, fields.data(), fields.size(), &provider, nullptr);
}

H2Call::~H2Call() = default;

Result<std::string> H2Call::output() {
  std::string out;
  while (out.size() < kOutputChunk) {
    const std::uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(impl_->session.get(), &data);
    if (size < 0) return fail(broken("sending", size));
    if (size == 0) break;
    out += text_of(data, static_cast<std::size_t>(size));
  }
  return out;
}

Status H2Call::feed(std::string_view input) {
  const ssize_t used = nghttp2_session_mem_recv(
      impl_->session.get(), reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  if (used < 0) return fail(broken("reading", used));
  return {};
}

bool H2Call::ended() const { return impl_->ended || impl_->too_much(); }
bool H2Call::too_much() const { return impl_->too_much(); }
unsigned H2Call::reset() const { return impl_->reset; }
const Headers& H2Call::headers() const { return impl_->headers; }
const std::string& H2Call::body() const { return impl_->body; }

}  // namespace davit::io
