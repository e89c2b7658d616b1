#include <simdjson.h>

#include "wire/projection.hpp"

namespace davit::wire {

namespace {

namespace od = simdjson::ondemand;
using Node = Projection::Node;
using simdjson::error_code;
using simdjson::SUCCESS;

constexpr int kMaxDepth = 200;
const Node kWhole{};

error_code read_object(od::object object, const Node& rule, int depth, json::object& out);

error_code read_number(od::value value, json::value& out) {
  od::number number;
  if (value.get_number().get(number) != SUCCESS) {
    double real = 0;  // more digits than 64 bits hold
    const error_code error = value.get_double().get(real);
    out = real;
    return error;
  }
  switch (number.get_number_type()) {
    case od::number_type::signed_integer:
      out = number.get_int64();
      break;
    case od::number_type::unsigned_integer:
      out = number.get_uint64();
      break;
    case od::number_type::floating_point_number:
      out = number.get_double();
      break;
  }
  return SUCCESS;
}

error_code read_value(od::value value, const Node& rule, int depth, json::value& out);

error_code read_array(od::array array, const Node& rule, int depth, json::array& out) {
  for (auto element : array) {
    od::value value;
    if (const error_code error = element.get(value)) return error;
    if (const error_code error = read_value(value, rule, depth, out.emplace_back(nullptr))) {
      return error;
    }
  }
  return SUCCESS;
}

error_code read_value(od::value value, const Node& rule, int depth, json::value& out) {
  if (depth > kMaxDepth) return simdjson::DEPTH_ERROR;
  od::json_type type{};
  if (const error_code error = value.type().get(type)) return error;
  switch (type) {
    case od::json_type::object: {
      od::object object;
      if (const error_code error = value.get_object().get(object)) return error;
      return read_object(object, rule, depth + 1, out.emplace_object());
    }
    case od::json_type::array: {
      od::array array;
      if (const error_code error = value.get_array().get(array)) return error;
      return read_array(array, rule, depth + 1, out.emplace_array());
    }
    case od::json_type::string: {
      std::string_view text;
      const error_code error = value.get_string().get(text);
      out = text;
      return error;
    }
    case od::json_type::number:
      return read_number(value, out);
    case od::json_type::boolean: {
      bool flag = false;
      const error_code error = value.get_bool().get(flag);
      out = flag;
      return error;
    }
    case od::json_type::null: {
      out = nullptr;
      bool null = false;
      if (const error_code error = value.is_null().get(null)) return error;
      return null ? SUCCESS : simdjson::N_ATOM_ERROR;
    }
  }
  return simdjson::UNEXPECTED_ERROR;
}

error_code read_object(od::object object, const Node& rule, int depth, json::object& out) {
  for (auto member : object) {
    std::string_view name;
    if (const error_code error = member.unescaped_key().get(name)) return error;
    const Node* below = rule.find(name);
    if (below == nullptr ? !rule.others : below->drop) continue;
    json::value& slot = out[name];
    od::value value;
    if (const error_code error = member.value().get(value)) return error;
    if (const error_code error =
            read_value(value, below == nullptr ? kWhole : *below, depth, slot)) {
      return error;
    }
  }
  return SUCCESS;
}

}  // namespace

struct ProjectionReader::Impl {
  od::parser parser;
  std::string padded;

  error_code read(std::string_view text, const Projection& projection, json::object& out) {
    padded.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    padded.assign(text);
    od::document document;
    if (const error_code error = parser.iterate(padded).get(document)) return error;
    od::object object;
    if (const error_code error = document.get_object().get(object)) return error;
    if (const error_code error = read_object(object, projection.root(), 1, out)) return error;
    // Past the last bracket there is no location left.
    return document.current_location().error() == simdjson::OUT_OF_BOUNDS
               ? SUCCESS
               : simdjson::TRAILING_CONTENT;
  }
};

ProjectionReader::ProjectionReader() : impl_(std::make_unique<Impl>()) {}
ProjectionReader::~ProjectionReader() = default;
ProjectionReader::ProjectionReader(ProjectionReader&&) noexcept = default;
ProjectionReader& ProjectionReader::operator=(ProjectionReader&&) noexcept = default;

Result<json::object> ProjectionReader::read(std::string_view text, const Projection& projection) {
  json::object object;
  if (const error_code error = impl_->read(text, projection, object)) {
    return fail(Code::kInvalid,
                std::string("not readable as a JSON object: ") + simdjson::error_message(error));
  }
  return object;
}

}  // namespace davit::wire
