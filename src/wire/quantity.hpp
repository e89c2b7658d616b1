// Quantity: resource.Quantity of Kubernetes ("500m", "1.5Gi", "2e3"), exact.
//
//   auto size = Quantity::parse("1.5Gi");     size->value() == 1610612736
//   Quantity::bytes(1 << 30).to_string()      "1Gi"
//
// Held as a count of nano units in 128 bits. As in Kubernetes, what is finer than nano is rounded
// away from zero, and what is beyond ±(2^63 - 1) is that (apimachinery, resource/quantity.go).
// Compared by meaning: "1Gi" equals "1024Mi"; the form only matters for to_string. A value; any
// thread.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/json.hpp"

namespace davit::wire {

class Quantity {
 public:
  enum class Form { kDecimal, kBinary, kExponent };  // 5M, 5Mi, 5e6

  Quantity() = default;
  [[nodiscard]] static Result<Quantity> parse(std::string_view text);
  // Also a JSON number, as YAML has it for `cpu: 2`.
  [[nodiscard]] static Result<Quantity> parse(const json::value& value);
  [[nodiscard]] static Quantity bytes(std::int64_t count);   // in binary form
  [[nodiscard]] static Quantity units(std::int64_t count);   // in decimal form
  [[nodiscard]] static Quantity millis(std::int64_t count);  // in decimal form

  // Rounded up, as Kubernetes does.
  [[nodiscard]] std::int64_t value() const;
  [[nodiscard]] std::int64_t milli_value() const;  // capped at the ends of int64
  [[nodiscard]] bool is_zero() const { return nanos_ == 0; }

  // The canonical form: no fraction, the largest suffix that allows it.
  [[nodiscard]] std::string to_string() const;

  // Capped like a parsed value; the form of the left side stays.
  [[nodiscard]] Quantity plus(Quantity other) const;
  [[nodiscard]] Quantity minus(Quantity other) const;

  friend bool operator==(Quantity a, Quantity b) { return a.nanos_ == b.nanos_; }
  friend std::strong_ordering operator<=>(Quantity a, Quantity b) { return a.nanos_ <=> b.nanos_; }

 private:
  __extension__ using Int128 = __int128;
  Quantity(Int128 nanos, Form form);

  Int128 nanos_ = 0;
  Form form_ = Form::kDecimal;
};

// True when both are quantities of the same meaning.
[[nodiscard]] bool same_quantity(std::string_view a, std::string_view b);

// For people: three significant digits and a binary unit, "1.46 TiB", "512 B".
[[nodiscard]] std::string human_bytes(std::int64_t count);

}  // namespace davit::wire
