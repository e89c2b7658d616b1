#include "kube/lease.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/discovery.hpp"
#include "kube/fake_transport_for_test.hpp"

namespace davit::kube {
namespace {

using std::chrono::seconds;

constexpr std::string_view kBody = R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
  "metadata":{"name":"l","namespace":"n","uid":"u","resourceVersion":"7","labels":{"a":"b"}},
  "spec":{"holderIdentity":"me","leaseDurationSeconds":15,"acquireTime":"2026-01-01T00:00:00.000001Z",
  "renewTime":"2026-01-01T00:00:05.000000Z","leaseTransitions":2,"strategy":"OldestEmulationVersion"}})";

json::object object(std::string_view text) { return wire::parse_json_object(text).value(); }

TEST(Lease, GoesThereAndBackWithWhatWeDoNotKnow) {
  const Lease lease = decode_lease(object(kBody)).value();
  EXPECT_EQ(lease.key, (ObjectKey{"n", "l"}));
  EXPECT_EQ(lease.version, ResourceVersion("7"));
  EXPECT_EQ(lease.holder, "me");
  EXPECT_EQ(lease.duration, seconds(15));
  EXPECT_EQ(lease.renewed - lease.acquired, seconds(5) - std::chrono::microseconds(1));
  EXPECT_EQ(lease.transitions, 2);
  EXPECT_EQ(encode_lease(lease), object(kBody));
}

TEST(Lease, AnEmptyOneIsReadableAndABrokenOneIsNot) {
  const Lease lease = decode_lease(object(R"({"kind":"Lease","metadata":{"name":"l"}})")).value();
  EXPECT_TRUE(lease.holder.empty());
  EXPECT_EQ(lease.renewed, WallTime());
  EXPECT_FALSE(wire::find(encode_lease(lease), "spec.renewTime"));
  EXPECT_FALSE(decode_lease(object(R"({"kind":"Pod"})")));
  EXPECT_FALSE(decode_lease(object(R"({"kind":"Lease","spec":{"renewTime":"yesterday"}})")));
}

TEST(Lease, IsReplacedOnlyAsItWasRead) {
  io::ManualLoop loop;
  FakeTransport server;
  Client client(server, loop);
  Leases leases(client, FieldManager("davit"));
  server.answer(200, std::string(kBody));
  Lease lease = run(loop, leases.read({"n", "l"})).value();
  lease.holder = "other";
  server.answer(409, R"({"kind":"Status","reason":"Conflict","code":409})");
  EXPECT_EQ(run(loop, leases.replace(lease)).error().code(), Code::kConflict);
  EXPECT_EQ(server.requests[1].method, "PUT");
  EXPECT_EQ(wire::find_string(server.body(1), "metadata.resourceVersion"), "7");
  EXPECT_EQ(wire::find_string(server.body(1), "spec.holderIdentity"), "other");
  lease.version = {};
  EXPECT_EQ(run(loop, leases.replace(lease)).error().code(), Code::kInvalid);
  server.answer(201, std::string(kBody));
  EXPECT_TRUE(run(loop, leases.create(lease)));
  EXPECT_FALSE(wire::find(server.body(2), "metadata.resourceVersion"));
}

TEST(Discovery, ReadsTheVersionWithItsPlus) {
  io::ManualLoop loop;
  FakeTransport server;
  Client client(server, loop);
  server.answer(200, R"({"major":"1","minor":"33+","gitVersion":"v1.33.1-eks"})");
  const ServerVersion version = run(loop, server_version(client)).value();
  EXPECT_TRUE(version.at_least(1, 33));
  EXPECT_FALSE(version.at_least(1, 34));
  EXPECT_TRUE(version.at_least(0, 99));
  EXPECT_EQ(version.git_version, "v1.33.1-eks");
}

TEST(Discovery, TellsAbsentFromUnknown) {
  io::ManualLoop loop;
  FakeTransport server;
  Client client(server, loop);
  constexpr Resource kSnapshots{"snapshot.storage.k8s.io", "v1", "VolumeSnapshot",
                                "volumesnapshots"};
  server.answer(200, R"({"resources":[{"name":"x"},{"name":"volumesnapshots"}]})");
  EXPECT_TRUE(run(loop, has_resource(client, kSnapshots)).value());
  EXPECT_EQ(server.requests[0].target, "/apis/snapshot.storage.k8s.io/v1");
  server.answer(200, R"({"resources":[{"name":"volumesnapshots/status"}]})");
  EXPECT_FALSE(run(loop, has_resource(client, kSnapshots)).value());
  server.answer(404, "404 page not found");
  EXPECT_FALSE(run(loop, has_resource(client, kSnapshots)).value());
  server.answer(503, "");
  EXPECT_FALSE(run(loop, has_resource(client, kSnapshots)));
  server.answer(404, "");
  EXPECT_FALSE(run(loop, has_group(client, "gateway.networking.k8s.io")).value());
  server.answer(200, "{}");
  EXPECT_FALSE(run(loop, has_resource(client, kPods)).value());
  EXPECT_EQ(server.requests.back().target, "/api/v1");
}

}  // namespace
}  // namespace davit::kube
