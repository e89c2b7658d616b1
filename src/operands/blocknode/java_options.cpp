#include "operands/blocknode/java_options.hpp"

#include <cctype>
#include <charconv>
#include <limits>

namespace davit::blocknode {

namespace {

// The value behind `prefix`, when `word` starts with it.
std::optional<std::string_view> after(std::string_view word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return std::nullopt;
  return word.substr(prefix.size());
}

void read_size(std::string_view word, std::string_view short_form, std::string_view long_form,
               std::optional<std::int64_t>& out) {
  auto value = after(word, long_form);
  if (!value && !short_form.empty()) value = after(word, short_form);
  if (!value) return;
  if (const auto size = parse_java_size(*value)) out = size;
}

void read_word(std::string_view word, JavaOptions& out) {
  read_size(word, "-Xmx", "-XX:MaxHeapSize=", out.max_heap);
  read_size(word, "-Xms", "-XX:InitialHeapSize=", out.initial_heap);
  read_size(word, {}, "-XX:MaxDirectMemorySize=", out.max_direct);
  if (word.starts_with("-XX:MaxRAMPercentage=")) out.ram_percentage = true;
  if (word == "-XX:+HeapDumpOnOutOfMemoryError") out.dumps_heap = true;
  if (word == "-XX:-HeapDumpOnOutOfMemoryError") out.dumps_heap = false;
  if (const auto path = after(word, "-XX:HeapDumpPath=")) out.dump_path = *path;
  if (const auto property = after(word, "-D")) {
    const std::size_t equals = std::min(property->find('='), property->size());
    const std::string_view value = property->substr(std::min(equals + 1, property->size()));
    out.properties[std::string(property->substr(0, equals))] = value;
  }
}

void read_text(std::string_view text, JavaOptions& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    std::size_t end = at;
    while (end < text.size() && std::isspace(static_cast<unsigned char>(text[end])) == 0) ++end;
    std::string_view word = text.substr(at, end - at);
    while (!word.empty() && (word.front() == '"' || word.front() == '\'')) word.remove_prefix(1);
    while (!word.empty() && (word.back() == '"' || word.back() == '\'')) word.remove_suffix(1);
    read_word(word, out);
    at = end;
  }
}

}  // namespace

JavaOptions parse_java_options(std::string_view text) {
  JavaOptions options;
  read_text(text, options);
  return options;
}

JavaOptions effective_java_options(const std::map<std::string, std::string>& extra_config) {
  JavaOptions options;
  for (const char* name : {"JAVA_TOOL_OPTIONS", "JAVA_OPTS"}) {
    if (const auto found = extra_config.find(name); found != extra_config.end()) {
      read_text(found->second, options);
    }
  }
  return options;
}

std::optional<std::int64_t> parse_java_size(std::string_view text) {
  std::int64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || number < 0) return std::nullopt;
  const std::string_view unit(end.ptr, text.data() + text.size());
  int shift = 0;
  if (unit.size() > 1) return std::nullopt;
  if (!unit.empty()) {
    switch (std::tolower(static_cast<unsigned char>(unit.front()))) {
      case 'k':
        shift = 10;
        break;
      case 'm':
        shift = 20;
        break;
      case 'g':
        shift = 30;
        break;
      case 't':
        shift = 40;
        break;
      default:
        return std::nullopt;
    }
  }
  if (number > (std::numeric_limits<std::int64_t>::max() >> shift)) return std::nullopt;
  return number << shift;
}

}  // namespace davit::blocknode
