// Percent-encoding of URL parts (RFC 3986): everything but unreserved characters is encoded, so the
// result is safe as one path segment and as a query name or value, whatever bytes go in.
//
// Pure functions; never fail on input, except percent_decode, which refuses a broken escape.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace davit::wire {

[[nodiscard]] std::string percent_encode(std::string_view text);
// "+" is left as it is: Kubernetes and S3 send spaces as %20.
[[nodiscard]] Result<std::string> percent_decode(std::string_view text);

using Query = std::vector<std::pair<std::string, std::string>>;

// "?a=1&b=2", or "" without parameters.
[[nodiscard]] std::string encode_query(const Query& query);
// Of "a=1&b=2" (without the "?"), in the order given. A name without "=" has an empty value.
[[nodiscard]] Result<Query> decode_query(std::string_view text);

}  // namespace davit::wire
