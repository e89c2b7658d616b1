#include "sim/serve/accept.hpp"

#include <algorithm>
#include <cctype>

namespace davit::sim {

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Calls `take` with each trimmed part of `text`.
template <typename Take>
void split(std::string_view text, char separator, Take take) {
  while (true) {
    const std::size_t end = text.find(separator);
    take(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

bool is_json(const MediaType& media) {
  return media.type == "application/json" || media.type == "*/*" || media.type == "application/*";
}

}  // namespace

std::string_view MediaType::parameter(const std::string& name) const {
  const auto found = parameters.find(name);
  return found == parameters.end() ? std::string_view{} : std::string_view(found->second);
}

std::vector<MediaType> parse_accept(std::string_view header) {
  std::vector<MediaType> list;
  split(header, ',', [&](std::string_view entry) {
    if (entry.empty()) return;
    MediaType media;
    split(entry, ';', [&](std::string_view part) {
      if (media.type.empty()) {
        media.type = part;
        std::ranges::transform(media.type, media.type.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return;
      }
      const std::size_t equals = part.find('=');
      if (equals == std::string_view::npos) return;
      media.parameters.emplace(part.substr(0, equals), part.substr(equals + 1));
    });
    list.push_back(std::move(media));
  });
  return list;
}

std::optional<Form> choose_form(std::string_view accept) {
  const std::vector<MediaType> list = parse_accept(accept);
  if (list.empty()) return Form::kObject;
  for (const MediaType& media : list) {
    if (!is_json(media)) continue;
    const std::string_view as = media.parameter("as");
    if (as.empty()) return Form::kObject;
    if (media.parameter("g") != "meta.k8s.io" || media.parameter("v") != "v1") continue;
    if (as == "Table") return Form::kTable;
    if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") return Form::kMetadata;
  }
  return std::nullopt;
}

bool wants_aggregated_discovery(std::string_view accept) {
  return std::ranges::any_of(parse_accept(accept), [](const MediaType& media) {
    return media.type == "application/json" && media.parameter("g") == "apidiscovery.k8s.io" &&
           media.parameter("v") == "v2" && media.parameter("as") == "APIGroupDiscoveryList" &&
           media.parameter("profile").empty();
  });
}

}  // namespace davit::sim
