// The catalogue of settings: reading it, and looking up in it.
#include "operands/blocknode/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "wire/json.hpp"

namespace davit::blocknode {

std::string_view settings_json();  // generated from data/blocknode-settings.json

namespace {

SettingType type_of(std::string_view name) {
  if (name == "int") return SettingType::kInt;
  if (name == "long") return SettingType::kLong;
  if (name == "double") return SettingType::kDouble;
  if (name == "boolean") return SettingType::kBoolean;
  if (name == "path") return SettingType::kPath;
  return name == "enum" ? SettingType::kEnum : SettingType::kString;
}

std::string text_of(const json::value* value) {
  if (value == nullptr || value->is_null()) return {};
  if (const json::string* text = value->if_string()) return std::string(*text);
  return wire::canonical(*value);
}

Setting read_setting(const json::object& object) {
  Setting setting{.env = std::string(wire::find_string(object, "env")),
                  .property = std::string(wire::find_string(object, "property")),
                  .type = type_of(wire::find_string(object, "type")),
                  .default_value = text_of(wire::find(object, "default")),
                  .min = wire::find_int(object, "min"),
                  .max = wire::find_int(object, "max"),
                  .choices = {},
                  .power_of_two = wire::find_bool(object, "powerOfTwo", false),
                  .secret = wire::find_bool(object, "secret", false),
                  .plugin = std::string(wire::find_string(object, "plugin")),
                  .description = std::string(wire::find_string(object, "description")),
                  .note = std::string(wire::find_string(object, "note")),
                  .alias = std::string(wire::find_string(object, "alias")),
                  .since = {}};
  if (const json::array* choices = wire::find_array(object, "enum")) {
    for (const json::value& choice : *choices) setting.choices.push_back(text_of(&choice));
  }
  setting.since =
      ServerVersion::parse(wire::find_string(object, "since")).value_or(ServerVersion{});
  return setting;
}

SettingCatalogue read_catalogue() {
  SettingCatalogue catalogue;
  const auto object = wire::parse_json_object(settings_json());
  if (!object) return catalogue;  // settings_test proves that it parses
  catalogue.up_to =
      ServerVersion::parse(wire::find_string(*object, "upTo")).value_or(ServerVersion{});
  if (const json::array* list = wire::find_array(*object, "settings")) {
    for (const json::value& item : *list) {
      if (const json::object* setting = item.if_object()) {
        catalogue.settings.push_back(read_setting(*setting));
      }
    }
  }
  std::ranges::sort(catalogue.settings, {}, &Setting::env);
  return catalogue;
}

bool is_property(std::string_view key) { return key.find('.') != std::string_view::npos; }

}  // namespace

const SettingCatalogue& setting_catalogue() {
  static const SettingCatalogue catalogue = read_catalogue();
  return catalogue;
}

const Setting* find_setting(std::string_view key) {
  const auto& settings = setting_catalogue().settings;
  if (is_property(key)) {
    const auto found = std::ranges::find(settings, key, &Setting::property);
    return found == settings.end() ? nullptr : &*found;
  }
  const auto found = std::ranges::lower_bound(settings, key, {}, &Setting::env);
  return found == settings.end() || found->env != key ? nullptr : &*found;
}

std::string environment_name(std::string_view key) {
  if (!is_property(key)) return std::string(key);
  if (const Setting* setting = find_setting(key)) return setting->env;
  // The server's rule: dots of the prefix become '_', and so does the start of each capital after
  // it.
  std::string out;
  const std::size_t last = key.rfind('.');
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto c = static_cast<unsigned char>(key[i]);
    if (i > last && std::isupper(c) != 0) out += '_';
    out += c == '.' ? '_' : static_cast<char>(std::toupper(c));
  }
  return out;
}

std::string config_field(std::string_view key) { return fmt::format("spec.extraConfig[{}]", key); }

std::optional<std::string> configured(const std::map<std::string, std::string>& extra_config,
                                      std::string_view env) {
  for (const auto& [key, value] : extra_config) {
    if (environment_name(key) == env) return value;
  }
  return std::nullopt;
}

}  // namespace davit::blocknode
