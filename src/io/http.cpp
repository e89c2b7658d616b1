#include "io/http.hpp"

#include <algorithm>
#include <cctype>

namespace davit::io {

std::optional<std::string_view> find_header(const Headers& headers, std::string_view name) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  for (const auto& [key, value] : headers) {
    if (std::ranges::equal(key, name, same)) return value;
  }
  return std::nullopt;
}

HttpResponse text_response(unsigned status, std::string body) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
          .body = std::move(body)};
}

}  // namespace davit::io
