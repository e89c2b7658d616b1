// What is in a TlsContext. For the sources of src/io only.
#pragma once

#include <boost/asio/ssl/context.hpp>

#include "io/tls.hpp"

namespace davit::io {

struct TlsContext {
  boost::asio::ssl::context ssl;
  explicit TlsContext(boost::asio::ssl::context::method method) : ssl(method) {}
};

}  // namespace davit::io
