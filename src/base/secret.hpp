// Secret<T>: a value that prints stars. What is secret travels in this type until the moment of
// use.
//
//   Secret<std::string> token(read_token());
//   log.info("authenticated", {{"token", token}});   // token=***
//   header += token.reveal();                        // the only way to the value: easy to search
//   for
//
// A value like T otherwise; comparing two takes the time T's comparison takes.
#pragma once

#include <ostream>
#include <string_view>
#include <utility>

namespace davit {

inline constexpr std::string_view kStars = "***";

template <typename T>
class Secret {
 public:
  Secret() = default;
  explicit Secret(T value) : value_(std::move(value)) {}
  [[nodiscard]] const T& reveal() const { return value_; }
  friend bool operator==(const Secret&, const Secret&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Secret&) { return out << kStars; }
  friend std::string_view to_string(const Secret&) { return kStars; }

 private:
  T value_{};
};

}  // namespace davit
