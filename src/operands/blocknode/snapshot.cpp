#include "operands/blocknode/snapshot.hpp"

#include "wire/time.hpp"

namespace davit::blocknode {

bool Snapshot::is_new(const json::object& object) const {
  constexpr auto kYouth = std::chrono::seconds(10);
  const auto made = wire::parse_time(wire::find_string(object, "metadata.creationTimestamp"));
  return made && wall >= *made && wall - *made < kYouth;
}

}  // namespace davit::blocknode
