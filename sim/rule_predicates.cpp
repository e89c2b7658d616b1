#include "sim/rule_predicates.hpp"

#include <fmt/format.h>

#include "sim/schemas/shape.hpp"
#include "wire/quantity.hpp"

namespace davit::sim {

namespace {

bool has(const json::value& self, std::string_view name) {
  const json::object* object = self.if_object();
  return object && object->contains(name);
}

// What the server makes of a message that is built: no blanks around it, one line.
std::string trimmed(std::string text) {
  const std::size_t begin = text.find_first_not_of(" \t\n\r");
  const std::size_t end = text.find_last_not_of(" \t\n\r");
  return begin == std::string::npos ? std::string() : text.substr(begin, end + 1 - begin);
}

// Every rule on text: its schema says so, and the server judges no rule where that is broken.
std::string text_of(const json::value& self) {
  return self.is_string() ? std::string(self.as_string()) : std::string();
}

bool is_positive(const json::value& self, const json::value* /*old*/) {
  const auto quantity = wire::Quantity::parse(self);
  static const wire::Quantity zero = *wire::Quantity::parse(json::value("0"));
  return quantity && *quantity > zero;
}

bool never_shrinks(const json::value& self, const json::value* old) {
  const auto now = wire::Quantity::parse(self);
  const auto before = wire::Quantity::parse(*old);
  return !now || !before || *now >= *before;
}

}  // namespace

void add_rule_predicates(Registry& registry) {
  registry.add_rule(
      "self == oldSelf",
      {[](const json::value& self, const json::value* old) { return self == *old; }, {}});
  registry.add_rule("has(self.size) != has(self.existingClaim)",
                    {[](const json::value& self, const json::value*) {
                       return has(self, "size") != has(self, "existingClaim");
                     },
                     {}});
  registry.add_rule("!(has(self.size) && has(self.existingClaim))",
                    {[](const json::value& self, const json::value*) {
                       return !has(self, "size") || !has(self, "existingClaim");
                     },
                     {}});
  registry.add_rule(
      "isQuantity(self) && quantity(self).isGreaterThan(quantity('0'))",
      {is_positive, [](const json::value& self, const json::value*) {
         return trimmed(text_of(self) +
                        " is not a size: give a quantity above zero, such as 500Gi or 6Ti");
       }});
  registry.add_rule(
      "!isQuantity(self) || !isQuantity(oldSelf) || "
      "quantity(self).compareTo(quantity(oldSelf)) >= 0",
      {never_shrinks, [](const json::value& self, const json::value* old) {
         return trimmed(
             fmt::format("{0} is smaller than {1}: a volume never shrinks. Give {1} or more",
                         text_of(self), text_of(*old)));
       }});
  static const Pattern version(
      "^(0|[1-9][0-9]{0,5})\\.(0|[1-9][0-9]{0,5})\\.(0|[1-9][0-9]{0,5})"
      "(-[0-9A-Za-z]([-0-9A-Za-z.]*[0-9A-Za-z])?)?$");
  registry.add_rule(
      "self.matches(r'" + version.text + "')",
      {[](const json::value& self, const json::value*) { return version.matches(text_of(self)); },
       [](const json::value& self, const json::value*) {
         return trimmed(text_of(self) +
                        " is not a version: give three numbers, such as 0.40.1, or "
                        "a pre-release such as 0.41.0-rc1");
       }});
}

}  // namespace davit::sim
