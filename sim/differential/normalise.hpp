// Normaliser: replaces what two servers can never agree on by names: uids, versions, times,
// addresses, generated names, tokens. The same value gets the same name within one script, so that
// "the version did not change" is still compared. One per script and side.
#pragma once

#include <map>
#include <string>

#include "wire/json.hpp"

namespace davit::sim::differential {

class Normaliser {
 public:
  [[nodiscard]] json::value operator()(const json::value& value);

 private:
  [[nodiscard]] json::value walk(const json::value& value, std::string_view key, bool of_list);
  [[nodiscard]] json::value object(const json::object& object, std::string_view key);
  [[nodiscard]] std::string text(std::string_view text, std::string_view key);
  [[nodiscard]] std::string symbol(std::string_view kind, std::string_view value);
  [[nodiscard]] std::string message(std::string raw);
  [[nodiscard]] static json::object status(json::object body);

  std::map<std::string, std::string, std::less<>> symbols_;
  std::map<std::string, int, std::less<>> counts_;
};

}  // namespace davit::sim::differential
