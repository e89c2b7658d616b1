// Lists: snapshots, paging and their tokens.
#include <fmt/format.h>

#include <charconv>

#include "sim/operations.hpp"
#include "wire/percent.hpp"

namespace davit::sim {

namespace {

std::optional<Version> parse_version(std::string_view text) {
  Version version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return version;
}

// Where a list goes on: the snapshot's version and the last key served.
std::string make_token(Version version, const ObjectKey& last) {
  return fmt::format("{}.{}.{}", version, last.ns, last.name);
}

struct Place {
  Version version;
  ObjectKey after;
};

std::optional<Place> read_token(const std::string& token) {
  const std::size_t first = token.find('.');
  const std::size_t second = first == std::string::npos ? first : token.find('.', first + 1);
  if (second == std::string::npos) return std::nullopt;
  const auto version = parse_version(token.substr(0, first));
  if (!version) return std::nullopt;
  return Place{*version, {token.substr(first + 1, second - first - 1), token.substr(second + 1)}};
}

}  // namespace

Answer<Listing> Operations::list(const ResourceType& type, const ListQuery& query) const {
  Listing listing;
  listing.version = store_->version();
  std::optional<ObjectKey> after;
  std::optional<ObjectStore::Objects> snapshot;
  if (!query.continue_token.empty()) {
    const auto place = read_token(query.continue_token);
    if (!place) return bad_request("continue key is not valid");
    if (!query.version.empty() && query.version != "0") {
      return bad_request("specifying resource version is not allowed when using continue");
    }
    listing.version = place->version;
    after = place->after;
  } else if (!query.version.empty() && query.version != "0") {
    const auto wanted = parse_version(query.version);
    if (!wanted) {
      return bad_request(fmt::format("Invalid value: \"{}\": resourceVersion", query.version));
    }
    if (*wanted > store_->version()) {
      ApiError error = not_served(504, "Timeout",
                                  fmt::format("Too large resource version: {}, current: {}",
                                              *wanted, store_->version()))
                           .error();
      error.retry_after_seconds = 1;
      error.causes = {{"ResourceVersionTooLarge", "Too large resource version", ""}};
      return Refusal(std::move(error));
    }
    const bool page = query.limit > 0 && query.match.empty();
    if (query.match == "Exact" || page) listing.version = *wanted;
  }
  const ObjectStore::Objects* objects = &store_->all(type);
  if (listing.version != store_->version()) {
    snapshot = store_->at(type, listing.version);
    if (!snapshot) {
      return gone(query.continue_token.empty()
                      ? fmt::format("The resourceVersion for the provided list is too old.")
                      : "The provided continue parameter is too old to display a consistent list "
                        "result. You can start a new list without the continue parameter.");
    }
    objects = &*snapshot;
  }
  ObjectKey last;
  for (auto at = after ? objects->upper_bound(*after) : objects->begin(); at != objects->end();
       ++at) {
    const auto& [key, object] = *at;
    if (!query.ns.empty() && key.ns != query.ns) continue;
    if (!query.labels.matches(*object) || !query.fields.matches(*object)) continue;
    if (query.limit > 0 && listing.items.size() == query.limit) {
      if (listing.continue_token.empty()) {
        listing.continue_token = make_token(listing.version, last);
      }
      ++listing.remaining;
      continue;
    }
    listing.items.push_back(object);
    last = key;
  }
  return listing;
}

}  // namespace davit::sim
