// Lease: coordination.k8s.io/v1 Lease as leader election needs it.
//
//   auto lease = co_await leases.read(key);              // kNotFound: nobody ever held it
//   lease->holder = me; lease->renewed = loop.wall();
//   auto kept = co_await leases.replace(*lease);         // kConflict: somebody was faster
//
// What we do not know of the object (labels, strategy, …) is kept. One thread, that of the Client.
#pragma once

#include <string>

#include "kube/client.hpp"

namespace davit::kube {

struct Lease {
  ObjectKey key;
  ResourceVersion version;  // empty: not read yet
  std::string holder;       // empty: released
  std::chrono::seconds duration{0};
  WallTime acquired;
  WallTime renewed;
  std::int64_t transitions = 0;
  json::object object;  // as read
};

// kInvalid: not a Lease, or a time in it that cannot be read.
[[nodiscard]] Result<Lease> decode_lease(json::object object);
// `lease.object` with the members of `lease` written into it.
[[nodiscard]] json::object encode_lease(const Lease& lease);

class Leases {
 public:
  Leases(Client& client, FieldManager manager) : client_(&client), manager_(std::move(manager)) {}

  io::Task<Result<Lease>> read(ObjectKey key);
  io::Task<Result<Lease>> create(Lease lease);
  // Only if nobody wrote it since it was read; a lease without version is kInvalid.
  io::Task<Result<Lease>> replace(Lease lease);

 private:
  Client* client_;
  FieldManager manager_;
};

}  // namespace davit::kube
