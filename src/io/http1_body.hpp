// The Beast body type of both readers: bytes pile up in a string that may be taken at any time.
// Unlike Beast's string_body it never reserves memory because a header announced a length.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/optional.hpp>
#include <cstdint>
#include <string>

namespace davit::io::detail {

struct PiecesBody {
  using value_type = std::string;

  class reader {
   public:
    template <bool IsRequest, class Fields>
    reader(boost::beast::http::header<IsRequest, Fields>&, value_type& body) : body_(&body) {}
    static void init(const boost::optional<std::uint64_t>&, boost::beast::error_code& error) {
      error = {};
    }
    template <class ConstBufferSequence>
    std::size_t put(const ConstBufferSequence& buffers, boost::beast::error_code& error) {
      error = {};
      std::size_t total = 0;
      for (const auto buffer : boost::beast::buffers_range_ref(buffers)) {
        body_->append(static_cast<const char*>(buffer.data()), buffer.size());
        total += buffer.size();
      }
      return total;
    }
    static void finish(boost::beast::error_code& error) { error = {}; }

   private:
    value_type* body_;
  };
};

}  // namespace davit::io::detail
