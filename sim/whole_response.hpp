// A response whose body was there at once, as a streaming one.
#pragma once

#include "io/http.hpp"

namespace davit::sim {

[[nodiscard]] io::StreamingResponse whole(io::HttpResponse response);

}  // namespace davit::sim
