#include "io/test_grpc_server.hpp"

#include <nghttp2/nghttp2.h>

#include <algorithm>

namespace davit::io::testing {

namespace {

struct Connection {
  nghttp2_session* session = nullptr;
  GrpcScript script;
  GrpcRequest request;
  GrpcReply reply;
  std::size_t sent = 0;

  explicit Connection(GrpcScript s);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { nghttp2_session_del(session); }
};

Connection& self(void* data) { return *static_cast<Connection*>(data); }

std::vector<nghttp2_nv> fields(const Headers& headers) {
  std::vector<nghttp2_nv> out;
  for (const auto& [name, value] : headers) {
    const auto bytes = [](const std::string& s) {
      return reinterpret_cast<std::uint8_t*>(const_cast<char*>(s.data()));
    };
    out.push_back({bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
  }
  return out;
}

int on_header(nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name, std::size_t n,
              const std::uint8_t* value, std::size_t v, std::uint8_t, void* data) {
  self(data).request.headers.emplace_back(std::string(reinterpret_cast<const char*>(name), n),
                                          std::string(reinterpret_cast<const char*>(value), v));
  return 0;
}

int on_data(nghttp2_session*, std::uint8_t, std::int32_t, const std::uint8_t* bytes,
            std::size_t size, void* data) {
  self(data).request.body.append(reinterpret_cast<const char*>(bytes), size);
  return 0;
}

ssize_t read_body(nghttp2_session* session, std::int32_t stream, std::uint8_t* out,
                  std::size_t room, std::uint32_t* flags, nghttp2_data_source*, void* data) {
  Connection& c = self(data);
  const std::size_t size = std::min(room, c.reply.body.size() - c.sent);
  c.reply.body.copy(reinterpret_cast<char*>(out), size, c.sent);
  c.sent += size;
  if (c.sent == c.reply.body.size()) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (!c.reply.trailers.empty()) {
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const auto trailers = fields(c.reply.trailers);
      nghttp2_submit_trailer(session, stream, trailers.data(), trailers.size());
    }
  }
  return static_cast<ssize_t>(size);
}

int on_frame(nghttp2_session* session, const nghttp2_frame* frame, void* data) {
  Connection& c = self(data);
  if (frame->hd.stream_id == 0 || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
  c.reply = c.script(c.request);
  c.sent = 0;
  if (c.reply.reset) {
    return nghttp2_submit_rst_stream(session, 0, frame->hd.stream_id, NGHTTP2_REFUSED_STREAM);
  }
  Headers headers{{":status", c.reply.http_status}, {"content-type", "application/grpc"}};
  headers.insert(headers.end(), c.reply.headers.begin(), c.reply.headers.end());
  const auto list = fields(headers);
  nghttp2_data_provider provider{};
  provider.read_callback = &read_body;
  return nghttp2_submit_response(session, frame->hd.stream_id, list.data(), list.size(), &provider);
}

Connection::Connection(GrpcScript s) : script(std::move(s)) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, &on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &on_data);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &on_frame);
  nghttp2_session_server_new(&session, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
}

Task<void> serve(AsioLoop& loop, Stream stream, GrpcScript script) {
  Connection connection(std::move(script));
  while (true) {
    std::string out;
    const std::uint8_t* data = nullptr;
    for (ssize_t n = 0; (n = nghttp2_session_mem_send(connection.session, &data)) > 0;) {
      out.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(n));
    }
    if (!out.empty()) co_await say(loop, stream, std::move(out));
    const Result<bool> more = co_await stream.fill(Deadline::after(loop, kPatience));
    if (!more || !*more) co_return;
    const std::string_view in = stream.buffered();
    if (nghttp2_session_mem_recv(connection.session,
                                 reinterpret_cast<const std::uint8_t*>(in.data()), in.size()) < 0) {
      co_return;
    }
    stream.consume(in.size());
  }
}

}  // namespace

RawServer::Script grpc_server(AsioLoop& loop, GrpcScript script) {
  return [&loop, script = std::move(script)](Stream stream, int) {
    return serve(loop, std::move(stream), script);
  };
}

}  // namespace davit::io::testing
