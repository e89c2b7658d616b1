// Kubernetes' protobuf form of objects, which kubectl's typed commands send (create, auth, drain),
// made JSON.
//
//   const Messages messages = Messages::read();
//   auto object = messages.decode(request.body);   // {"apiVersion": "v1", "kind": "Namespace", …}
//
// What a Go value without omitempty leaves empty is left out, as the API server leaves it. Numbers
// and names of members come from Kubernetes' own modules (testbed/build schemas); without their
// file nothing can be decoded. Bodies may hold anything: what is not the form is kInvalid. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "wire/json.hpp"

namespace davit::sim {

class Messages {
 public:
  // From the file in the cache; empty() when there is none.
  [[nodiscard]] static Messages read();
  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] Result<json::object> decode(std::string_view body) const;

 private:
  enum class How { kValue, kPointer, kInline, kRepeated, kMap };
  struct Member {
    std::string name, type;
    How how = How::kValue;
  };
  using Message = std::map<std::uint64_t, Member>;
  struct Field;

  [[nodiscard]] Result<json::value> value(std::string_view type, const Field& field,
                                          int depth) const;
  [[nodiscard]] Result<json::object> object(const Message& message, std::string_view bytes,
                                            int depth) const;
  [[nodiscard]] Status put(json::object& into, const Member& member, const Field& field,
                           int depth) const;
  [[nodiscard]] const Message* find(std::string_view name) const;

  std::map<std::string, Message, std::less<>> messages_;
};

}  // namespace davit::sim
