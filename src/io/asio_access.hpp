// How the sources of src/io reach the Asio context under an AsioLoop. Not for other modules.
#pragma once

#include <boost/asio/io_context.hpp>

#include "io/asio_loop.hpp"

namespace davit::io {

[[nodiscard]] boost::asio::io_context& asio_context(AsioLoop& loop);

}  // namespace davit::io
