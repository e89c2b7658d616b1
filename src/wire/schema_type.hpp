// From a C++ member to the Type and Field of schema.hpp. Include that; this is its template half.
#pragma once

#include "wire/schema.hpp"

namespace davit::wire {

namespace detail {

[[nodiscard]] Status read_string(const json::value&, void*, const Path&, Form);
[[nodiscard]] Status read_boolean(const json::value&, void*, const Path&, Form);
[[nodiscard]] Status read_integer(const json::value&, void*, const Path&, Form);
[[nodiscard]] bool write_string(const void*, json::value&, Form);
[[nodiscard]] bool write_boolean(const void*, json::value&, Form);
[[nodiscard]] bool write_integer(const void*, json::value&, Form);
[[nodiscard]] Status wrong_type(const Path&, std::string_view wanted, const json::value& found);

template <typename T>
struct TypeOf {  // a described struct
  static Status read(const json::value& value, void* out, const Path& path, Form) {
    const json::object* object = value.if_object();
    return object != nullptr ? read_struct(describe<T>(), *object, out, path)
                             : wrong_type(path, "an object", value);
  }
  static bool write(const void* in, json::value& out, Form) {
    json::object object = write_struct(describe<T>(), in);
    const bool any = !object.empty();
    out = std::move(object);
    return any;
  }
  static constexpr Type kType{.kind = Kind::kStruct,
                              .structure = &describe<T>,
                              .read = read,
                              .write = write,
                              .size = sizeof(T)};
};

template <>
struct TypeOf<std::string> {
  static constexpr Type kType{.kind = Kind::kString,
                              .read = read_string,
                              .write = write_string,
                              .size = sizeof(std::string)};
};
template <>
struct TypeOf<bool> {
  static constexpr Type kType{
      .kind = Kind::kBoolean, .read = read_boolean, .write = write_boolean, .size = sizeof(bool)};
};
template <>
struct TypeOf<std::int64_t> {
  static constexpr Type kType{.kind = Kind::kInteger,
                              .read = read_integer,
                              .write = write_integer,
                              .size = sizeof(std::int64_t)};
};

template <typename T>
struct TypeOf<std::optional<T>> {
  static Status read(const json::value& value, void* out, const Path& path, Form form) {
    return TypeOf<T>::kType.read(value, &static_cast<std::optional<T>*>(out)->emplace(), path,
                                 form);
  }
  static bool write(const void* in, json::value& out, Form form) {
    const auto& optional = *static_cast<const std::optional<T>*>(in);
    return optional && TypeOf<T>::kType.write(&*optional, out, form);
  }
  static constexpr Type kType{.kind = TypeOf<T>::kType.kind,
                              .optional = true,
                              .item = TypeOf<T>::kType.item,
                              .structure = TypeOf<T>::kType.structure,
                              .read = read,
                              .write = write,
                              .size = sizeof(std::optional<T>)};
};

template <typename T>
struct TypeOf<std::vector<T>> {
  static Status read(const json::value& value, void* out, const Path& path, Form form) {
    const json::array* array = value.if_array();
    if (array == nullptr) return wrong_type(path, "a list", value);
    auto& list = *static_cast<std::vector<T>*>(out);
    list.clear();
    for (const json::value& item : *array) {
      const Path step{.parent = &path, .index = list.size(), .element = true};
      if (auto ok = TypeOf<T>::kType.read(item, &list.emplace_back(), step, form); !ok) return ok;
    }
    return {};
  }
  static bool write(const void* in, json::value& out, Form form) {
    json::array array;
    for (const T& item : *static_cast<const std::vector<T>*>(in)) {
      json::value value;
      if (!TypeOf<T>::kType.write(&item, value, form)) value = json::object{};
      array.push_back(std::move(value));
    }
    const bool any = !array.empty();
    out = std::move(array);
    return any;
  }
  static constexpr Type kType{.kind = Kind::kList,
                              .item = &TypeOf<T>::kType,
                              .read = read,
                              .write = write,
                              .size = sizeof(std::vector<T>)};
};

template <typename T>
struct TypeOf<std::map<std::string, T>> {
  static Status read(const json::value& value, void* out, const Path& path, Form form) {
    const json::object* object = value.if_object();
    if (object == nullptr) return wrong_type(path, "a map", value);
    auto& map = *static_cast<std::map<std::string, T>*>(out);
    map.clear();
    for (const auto& member : *object) {
      const std::string_view key(member.key().data(), member.key().size());
      const Path step{.parent = &path, .name = key, .key = true};
      if (auto ok = TypeOf<T>::kType.read(member.value(), &map[std::string(key)], step, form);
          !ok) {
        return ok;
      }
    }
    return {};
  }
  static bool write(const void* in, json::value& out, Form form) {
    json::object object;
    for (const auto& [key, item] : *static_cast<const std::map<std::string, T>*>(in)) {
      json::value value;
      if (!TypeOf<T>::kType.write(&item, value, form)) value = json::object{};
      object[key] = std::move(value);
    }
    const bool any = !object.empty();
    out = std::move(object);
    return any;
  }
  static constexpr Type kType{.kind = Kind::kMap,
                              .item = &TypeOf<T>::kType,
                              .read = read,
                              .write = write,
                              .size = sizeof(std::map<std::string, T>)};
};

template <typename T>
struct MemberOf;
template <typename C, typename M>
struct MemberOf<M C::*> {
  using Class = C;
  using Member = M;
};

template <typename T>
const void* fresh() {
  static const T value{};
  return &value;
}

}  // namespace detail

// A row of a table: field<&NetworkSpec::name>({.name = "name", …}).
template <auto kMember>
[[nodiscard]] constexpr Field field(const FieldSpec& spec) {
  using Of = detail::MemberOf<decltype(kMember)>;
  using Class = typename Of::Class;
  return {.spec = spec,
          .type = &detail::TypeOf<typename Of::Member>::kType,
          .at = [](void* object) -> void* { return &(static_cast<Class*>(object)->*kMember); },
          .view = [](const void* object) -> const void* {
            return &(static_cast<const Class*>(object)->*kMember);
          }};
}

template <typename T>
[[nodiscard]] constexpr Struct structure(std::string_view name, std::string_view text,
                                         std::span<const Field> fields) {
  return {
      .name = name, .text = text, .fields = fields, .fresh = &detail::fresh<T>, .size = sizeof(T)};
}

}  // namespace davit::wire
