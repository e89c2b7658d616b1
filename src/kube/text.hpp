// Texts for fields of limited length.
#pragma once

#include <string>
#include <string_view>

namespace davit::kube {

// At most `limit` bytes, cut between UTF-8 characters, with "..." at the end if something is
// missing. Bytes that are not UTF-8 become "?", so that the API server takes the result.
[[nodiscard]] std::string fit_text(std::string_view text, std::size_t limit);

}  // namespace davit::kube
