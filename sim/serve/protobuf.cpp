#include "sim/serve/protobuf.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <filesystem>
#include <optional>

#include "kube/file.hpp"
#include "sim/schemas/kubernetes_schemas.hpp"
#include "wire/base64.hpp"
#include "wire/duration.hpp"

namespace davit::sim {

namespace {

constexpr std::string_view kMagic("k8s\0", 4);
constexpr std::string_view kMeta = "k8s.io.apimachinery.pkg.apis.meta.v1.";
constexpr int kDeepest = 64;

std::unexpected<Error> malformed() {
  return fail(Code::kInvalid, "the body is not in Kubernetes' protobuf form");
}

}  // namespace

// One member as it is on the wire: a number, or bytes.
struct Messages::Field {
  std::uint64_t number = 0, scalar = 0;
  std::string_view bytes;
  bool is_bytes = false;

  static Result<std::uint64_t> take_varint(std::string_view& from) {
    std::uint64_t result = 0;
    for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(from.front());
      from.remove_prefix(1);
      result |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if ((byte & 0x80U) == 0) return result;
    }
    return malformed();
  }

  static Result<Field> take(std::string_view& from) {
    const auto tag = take_varint(from);
    if (!tag) return malformed();
    Field field{.number = *tag >> 3U};
    const std::uint64_t wire = *tag & 7U;
    const std::size_t fixed = wire == 1 ? 8 : wire == 5 ? 4 : 0;
    if (wire == 0 || wire == 2) {
      const auto number = take_varint(from);
      if (!number) return malformed();
      field.scalar = *number;
      if (wire == 0) return field;
      if (*number > from.size()) return malformed();
      field.is_bytes = true;
      field.bytes = from.substr(0, *number);
      from.remove_prefix(*number);
      return field;
    }
    if (fixed == 0 || from.size() < fixed) return malformed();
    for (std::size_t i = fixed; i-- > 0;) {
      field.scalar = field.scalar << 8U | static_cast<unsigned char>(from[i]);
    }
    from.remove_prefix(fixed);
    return field;
  }

  // Those of a small message whose members are known: by number.
  static Result<std::map<std::uint64_t, Field>> all(std::string_view bytes) {
    std::map<std::uint64_t, Field> fields;
    while (!bytes.empty()) {
      const auto field = take(bytes);
      if (!field) return malformed();
      fields[field->number] = *field;
    }
    return fields;
  }
};

namespace {

// Messages whose JSON is not an object of their members.
template <typename Fields>
std::optional<Result<json::value>> special(std::string_view type, Fields& fields) {
  if (type == "k8s.io.apimachinery.pkg.api.resource.Quantity") {
    return json::value(std::string(fields[1].bytes));
  }
  if (type == "k8s.io.apimachinery.pkg.util.intstr.IntOrString") {
    if (fields[1].scalar == 1) return json::value(std::string(fields[3].bytes));
    return json::value(static_cast<std::int32_t>(fields[2].scalar));
  }
  if (type == "k8s.io.apimachinery.pkg.runtime.RawExtension" ||
      type == std::string(kMeta) + "FieldsV1") {
    if (fields[1].bytes.empty()) return json::value(nullptr);
    auto raw = wire::parse_json_object(fields[1].bytes);
    if (!raw) return malformed();
    return json::value(std::move(*raw));
  }
  if (!type.starts_with(kMeta)) return std::nullopt;
  type.remove_prefix(kMeta.size());
  if (type == "Duration") {
    return json::value(
        wire::format_duration(Duration(static_cast<std::int64_t>(fields[1].scalar))));
  }
  if (type == "Time" || type == "MicroTime") {
    if (fields.empty()) return json::value(nullptr);
    // Years 1970 to 9999: the clock of others may say anything.
    constexpr std::uint64_t kLast = 253'402'300'799;
    if (fields[1].scalar > kLast || fields[2].scalar > 999'999'999) return malformed();
    const WallTime time{std::chrono::seconds(fields[1].scalar) +
                        std::chrono::microseconds(fields[2].scalar / 1000)};
    return json::value(type == "Time" ? format_time(time) : format_micro_time(time));
  }
  return std::nullopt;
}

bool is_empty(const json::value& value) {
  if (const auto* object = value.if_object()) return object->empty();
  if (const auto* text = value.if_string()) return text->empty();
  if (value.is_number()) return value.to_number<double>() == 0;
  return value.is_null() || value == false;
}

}  // namespace

Result<json::value> Messages::value(std::string_view type, const Field& field, int depth) const {
  if (type == "bool") return json::value(field.scalar != 0);
  if (type == "int32") return json::value(static_cast<std::int32_t>(field.scalar));
  if (type == "int64") return json::value(static_cast<std::int64_t>(field.scalar));
  if (type == "double") return json::value(std::bit_cast<double>(field.scalar));
  if (!field.is_bytes) return malformed();
  if (type == "string") return json::value(std::string(field.bytes));
  if (type == "bytes") return json::value(wire::base64_encode(field.bytes));
  auto fields = Field::all(field.bytes);
  if (!fields) return malformed();
  if (auto own = special(type, *fields)) return *own;
  const Message* message = find(type);
  if (!message || depth >= kDeepest) return malformed();
  auto result = object(*message, field.bytes, depth + 1);
  if (!result) return fail(std::move(result.error()));
  // A list that Go gives a name of its own.
  if (message->size() == 1 && message->begin()->second.name == "items" &&
      message->begin()->second.type == "string") {
    return result->contains("items") ? std::move(result->at("items")) : json::value(json::array{});
  }
  return json::value(std::move(*result));
}

Status Messages::put(json::object& into, const Member& member, const Field& field,
                     int depth) const {
  if (member.how == How::kMap) {
    auto entry = field.is_bytes ? Field::all(field.bytes) : malformed();
    if (!entry) return malformed();
    Field empty{.is_bytes = true};
    auto found = value(member.type, entry->contains(2) ? entry->at(2) : empty, depth);
    if (!found) return fail(std::move(found.error()));
    wire::ensure_object(into, member.name)[(*entry)[1].bytes] = std::move(*found);
    return {};
  }
  auto found = value(member.type, field, depth);
  if (!found) return fail(std::move(found.error()));
  if (member.how == How::kRepeated) {
    json::value& list = into[member.name];
    if (!list.is_array()) list = json::array{};
    list.as_array().push_back(std::move(*found));
  } else if (member.how == How::kInline) {
    if (!found->is_object()) return malformed();
    for (auto& one : found->as_object()) into[one.key()] = std::move(one.value());
  } else if (member.how == How::kPointer || !is_empty(*found)) {
    into[member.name] = std::move(*found);
  }
  return {};
}

Result<json::object> Messages::object(const Message& message, std::string_view bytes,
                                      int depth) const {
  json::object result;
  while (!bytes.empty()) {
    const auto field = Field::take(bytes);
    if (!field) return malformed();
    const auto member = message.find(field->number);
    if (member == message.end()) continue;  // of another version of Kubernetes
    if (auto done = put(result, member->second, *field, depth); !done) {
      return fail(std::move(done.error()));
    }
  }
  return result;
}

const Messages::Message* Messages::find(std::string_view name) const {
  const auto found = messages_.find(name);
  return found == messages_.end() ? nullptr : &found->second;
}

Result<json::object> Messages::decode(std::string_view body) const {
  // runtime.Unknown: 1 type (1 apiVersion, 2 kind), 2 the object.
  if (!body.starts_with(kMagic)) return malformed();
  auto envelope = Field::all(body.substr(kMagic.size()));
  if (!envelope) return malformed();
  auto type = Field::all((*envelope)[1].bytes);
  if (!type) return malformed();
  const std::string_view api_version = (*type)[1].bytes, kind = (*type)[2].bytes;
  // "rbac.authorization.k8s.io/v1" is the package k8s.io.api.rbac.v1.
  const std::size_t slash = api_version.find('/');
  const bool core = slash == std::string_view::npos;
  const std::string_view group =
      core ? "core" : api_version.substr(0, api_version.find_first_of("./"));
  const std::string_view version = core ? api_version : api_version.substr(slash + 1);
  const Message* message = find(fmt::format("k8s.io.api.{}.{}.{}", group, version, kind));
  if (!message) message = find(std::string(kMeta).append(kind));  // DeleteOptions of any group
  if (!message) {
    return fail(Code::kInvalid,
                fmt::format("{} of {} is not known in protobuf form", kind, api_version));
  }
  auto result = object(*message, (*envelope)[2].bytes, 0);
  if (!result) return result;
  (*result)["apiVersion"] = api_version;
  (*result)["kind"] = kind;
  return result;
}

Messages Messages::read() {
  Messages result;
  const std::filesystem::path schemas = kubernetes_schemas_file();
  const auto text = kube::read_file(schemas.parent_path() / "kubernetes-messages.json");
  const auto document = wire::parse_json_object(text ? *text : std::string());
  const json::object* messages = document ? wire::find_object(*document, "messages") : nullptr;
  if (!messages) return result;
  static const std::map<std::string_view, How> kHows = {{"value", How::kValue},
                                                        {"pointer", How::kPointer},
                                                        {"inline", How::kInline},
                                                        {"repeated", How::kRepeated},
                                                        {"map", How::kMap}};
  for (const auto& [name, members] : *messages) {
    Message& message = result.messages_[name];
    for (const auto& [key, member] : members.as_object()) {
      const std::string_view digits = key;
      std::uint64_t number = 0;
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
      message[number] = {.name = std::string(member.at(0).as_string()),
                         .type = std::string(member.at(1).as_string()),
                         .how = kHows.at(std::string_view(member.at(2).as_string()))};
    }
  }
  return result;
}

}  // namespace davit::sim
