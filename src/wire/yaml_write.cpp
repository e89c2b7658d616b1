#include <algorithm>
#include <cctype>

#include "wire/yaml.hpp"
#include "wire/yaml_scalar.hpp"

namespace davit::wire {

namespace {

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_alnum(char c) { return is_alpha(c) || (c >= '0' && c <= '9'); }

// Only what no reader of YAML 1.1 or 1.2 takes for anything but this text.
bool is_plain(std::string_view text) {
  if (text.empty() || text.back() == ' ') return false;
  if (!is_alpha(text.front()) && text.front() != '/' && text.front() != '_') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool fine = is_alnum(c) ||
                      std::string_view(" ._-/()+=,;@").find(c) != std::string_view::npos ||
                      (c == ':' && next != ' ');
    if (!fine) return false;
  }
  const auto meaning = resolve_plain_scalar(text);
  return meaning && meaning->is_string();
}

// Go's YAML reader refuses C1 controls, the byte order mark and non-characters in the open.
std::string quoted(std::string_view text) {
  std::string out;
  const std::string escaped = json::serialize(text);
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    const auto byte = static_cast<unsigned char>(escaped[i]);
    const auto follow = [&](std::size_t n) {
      return i + n < escaped.size() ? static_cast<unsigned char>(escaped[i + n]) : 0U;
    };
    if (byte == 0x7f) {
      out += "\\u007f";
    } else if (byte == 0xc2 && follow(1) < 0xa0) {
      constexpr std::string_view kHex = "0123456789abcdef";
      out += "\\u00";
      out += kHex[follow(1) >> 4];
      out += kHex[follow(1) & 15];
      i += 1;
    } else if (byte == 0xe2 && follow(1) == 0x80 && (follow(2) == 0xa8 || follow(2) == 0xa9)) {
      out += follow(2) == 0xa8 ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (byte == 0xef && follow(1) == 0xbb && follow(2) == 0xbf) {
      out += "\\ufeff";
      i += 2;
    } else if (byte == 0xef && follow(1) == 0xbf && follow(2) >= 0xbe) {
      out += follow(2) == 0xbe ? "\\ufffe" : "\\uffff";
      i += 2;
    } else {
      out += escaped[i];
    }
  }
  return out;
}

// Several lines that a literal block holds unchanged.
bool is_block(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text.find('\n') + 1 == text.size()) return false;
  if (text.front() == ' ' || text.front() == '\t' || text.front() == '\n') return false;
  if (text.ends_with("\n\n")) return false;
  const auto last = text.find_last_not_of('\n');
  if (text[last] == ' ' || text[last] == '\t') return false;
  // Spaces at a line's end are lost on people; what is not plain ASCII is safer in quotes.
  if (text.find(" \n") != std::string_view::npos) return false;
  return std::ranges::all_of(text, [](char c) {
    return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f &&
            static_cast<unsigned char>(c) < 0x80) ||
           c == '\n' || c == '\t';
  });
}

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  // After "key:" or "-": `inline_map` when a map's first member may follow on this line.
  void value(const json::value& value, std::size_t indent, bool in_sequence) {
    const json::object* object = value.if_object();
    const json::array* array = value.if_array();
    if (object != nullptr && !object->empty()) {
      if (in_sequence) {
        out_ += ' ';
        members(*object, indent + 2, true);
      } else {
        out_ += '\n';
        members(*object, indent + 2, false);
      }
    } else if (array != nullptr && !array->empty()) {
      out_ += '\n';
      elements(*array, in_sequence ? indent + 2 : indent);
    } else {
      out_ += ' ';
      leaf(value, indent + 2);
    }
  }

  void members(const json::object& object, std::size_t indent, bool first_is_open) {
    for (const auto& member : object) {
      if (!std::exchange(first_is_open, false)) out_.append(indent, ' ');
      const std::string_view key(member.key().data(), member.key().size());
      out_ += is_plain(key) ? std::string(key) : quoted(key);
      out_ += ':';
      value(member.value(), indent, false);
    }
  }

  void elements(const json::array& array, std::size_t indent) {
    for (const json::value& element : array) {
      out_.append(indent, ' ');
      out_ += '-';
      value(element, indent, true);
    }
  }

  void leaf(const json::value& value, std::size_t indent) {
    const json::string* text = value.if_string();
    if (text == nullptr) {
      out_ += canonical(value);  // also {} and []
      out_ += '\n';
    } else if (is_block(view(*text))) {
      block(view(*text), indent);
    } else {
      out_ += is_plain(view(*text)) ? std::string(view(*text)) : quoted(view(*text));
      out_ += '\n';
    }
  }

 private:
  void block(std::string_view text, std::size_t indent) {
    const bool ends = text.ends_with('\n');
    if (ends) text.remove_suffix(1);
    out_ += ends ? "|\n" : "|-\n";
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      if (!line.empty()) out_.append(indent, ' ').append(line);
      out_ += '\n';
    }
  }

  std::string& out_;
};

}  // namespace

std::string to_yaml(const json::value& value) {
  std::string out;
  Writer writer(out);
  if (const json::object* object = value.if_object(); object != nullptr && !object->empty()) {
    writer.members(*object, 0, false);
  } else if (const json::array* array = value.if_array(); array != nullptr && !array->empty()) {
    writer.elements(*array, 0);
  } else {
    writer.leaf(value, 2);
  }
  return out;
}

std::string to_yaml_documents(const std::vector<json::value>& documents) {
  std::string out;
  for (const json::value& document : documents) {
    if (!out.empty()) out += "---\n";
    out += to_yaml(document);
  }
  return out;
}

}  // namespace davit::wire
