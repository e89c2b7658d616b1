#include "kube/discovery.hpp"

#include <charconv>

namespace davit::kube {

namespace {

int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string group_version_path(const Resource& resource) {
  return (resource.group.empty() ? "/api/" : "/apis/") + resource.api_version();
}

}  // namespace

io::Task<Result<ServerVersion>> server_version(Client& client) {
  auto body = co_await client.raw("GET", "/version");
  if (!body) co_return fail(std::move(body.error()));
  auto object = wire::parse_json_object(*body);
  if (!object) co_return fail(std::move(object.error()).because("the server's version"));
  ServerVersion version;
  version.major = leading_number(wire::find_string(*object, "major"));
  version.minor = leading_number(wire::find_string(*object, "minor"));
  version.git_version = wire::find_string(*object, "gitVersion");
  co_return version;
}

io::Task<Result<bool>> has_resource(Client& client, Resource resource) {
  auto body = co_await client.raw("GET", group_version_path(resource));
  if (!body && body.error().code() == Code::kNotFound) co_return false;
  if (!body) co_return fail(std::move(body.error()));
  auto object = wire::parse_json_object(*body);
  if (!object) co_return fail(std::move(object.error()).because("the server's resources"));
  const json::array* resources = wire::find_array(*object, "resources");
  if (resources == nullptr) co_return false;
  for (const json::value& value : *resources) {
    const json::object* entry = value.if_object();
    if (entry != nullptr && wire::find_string(*entry, "name") == resource.plural) co_return true;
  }
  co_return false;
}

io::Task<Result<bool>> has_group(Client& client, std::string group) {
  auto body = co_await client.raw("GET", group.empty() ? "/api/v1" : "/apis/" + group);
  if (body) co_return true;
  if (body.error().code() == Code::kNotFound) co_return false;
  co_return fail(std::move(body.error()));
}

}  // namespace davit::kube
