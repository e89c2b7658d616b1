#include "kube/status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::kube {
namespace {

using std::chrono::seconds;

std::string status_body(std::string_view reason, int code) {
  return json::serialize(json::object{{"kind", "Status"},
                                      {"apiVersion", "v1"},
                                      {"status", "Failure"},
                                      {"reason", reason},
                                      {"message", "m"},
                                      {"code", code}});
}

TEST(StatusError, EveryReasonOfKubernetesHasItsCode) {
  const std::tuple<std::string_view, int, Code> kCases[] = {
      {"Unauthorized", 401, Code::kUnauthenticated},
      {"Forbidden", 403, Code::kForbidden},
      {"NotFound", 404, Code::kNotFound},
      {"AlreadyExists", 409, Code::kAlreadyExists},
      {"Conflict", 409, Code::kConflict},
      {"Gone", 410, Code::kGone},
      {"Invalid", 422, Code::kInvalid},
      {"ServerTimeout", 500, Code::kUnavailable},
      {"StoreReadError", 500, Code::kUnavailable},
      {"Timeout", 504, Code::kDeadlineExceeded},
      {"TooManyRequests", 429, Code::kTooManyRequests},
      {"BadRequest", 400, Code::kInvalid},
      {"MethodNotAllowed", 405, Code::kUnsupported},
      {"NotAcceptable", 406, Code::kUnsupported},
      {"RequestEntityTooLarge", 413, Code::kInvalid},
      {"UnsupportedMediaType", 415, Code::kUnsupported},
      {"InternalError", 500, Code::kUnavailable},
      {"Expired", 410, Code::kGone},
      {"ServiceUnavailable", 503, Code::kUnavailable},
  };
  for (const auto& [reason, http, code] : kCases) {
    const Error error =
        error_of_response(static_cast<unsigned>(http), {}, status_body(reason, http));
    EXPECT_EQ(error.code(), code) << reason;
    EXPECT_EQ(error.reason(), reason);
    EXPECT_EQ(error.message(), "m");
    EXPECT_FALSE(error.retry_after());
  }
}

TEST(StatusError, WithoutAKnownReasonTheHttpStatusDecides) {
  const std::pair<unsigned, Code> kCases[] = {
      {400, Code::kInvalid},         {401, Code::kUnauthenticated},
      {403, Code::kForbidden},       {404, Code::kNotFound},
      {405, Code::kUnsupported},     {408, Code::kDeadlineExceeded},
      {409, Code::kConflict},        {410, Code::kGone},
      {413, Code::kInvalid},         {415, Code::kUnsupported},
      {418, Code::kInvalid},         {422, Code::kInvalid},
      {429, Code::kTooManyRequests}, {500, Code::kUnavailable},
      {501, Code::kUnsupported},     {502, Code::kUnavailable},
      {503, Code::kUnavailable},     {504, Code::kDeadlineExceeded},
      {301, Code::kUnavailable}};
  for (const auto& [http, code] : kCases) {
    EXPECT_EQ(error_of_response(http, {}, "").code(), code) << http;
    EXPECT_EQ(error_of_response(http, {}, "<html>gateway</html>").code(), code) << http;
    EXPECT_EQ(error_of_response(http, {}, status_body("Novel", static_cast<int>(http))).code(),
              code);
  }
}

TEST(StatusError, AnApplyWithAnUnknownFieldIsInvalidThoughTheServerSays500) {
  const Error error = error_of_response(
      500, {},
      R"({"kind":"Status","status":"Failure","code":500,"message":"failed to create typed patch )"
      R"(object (n/a; /v1, Kind=ConfigMap): .novel: field not declared in schema"})");
  EXPECT_EQ(error.code(), Code::kInvalid);
  EXPECT_FALSE(error.is_transient());
}

TEST(StatusError, RetryAfterComesFromDetailsElseFromTheHeader) {
  const io::Headers header{{"Retry-After", "7"}};
  EXPECT_EQ(error_of_response(429, header, "").retry_after(), seconds(7));
  EXPECT_EQ(error_of_response(429, header, status_body("TooManyRequests", 429)).retry_after(),
            seconds(7));
  EXPECT_EQ(error_of_response(429, header,
                              R"({"kind":"Status","code":429,"details":{"retryAfterSeconds":3}})")
                .retry_after(),
            seconds(3));
  EXPECT_FALSE(error_of_response(429, {{"Retry-After", "Wed, 21 Oct"}}, "").retry_after());
  EXPECT_FALSE(error_of_response(429, {{"Retry-After", "-5"}}, "").retry_after());
  EXPECT_EQ(error_of_response(503, {{"Retry-After", "999999999"}}, "").retry_after(),
            seconds(3600));
}

TEST(StatusError, ForeignBodiesAreShownShortAndPrintable) {
  const std::string body = std::string("\x01<b>\0\xff", 6) + std::string(5000, 'x');
  const Error error = error_of_response(502, {}, body);
  EXPECT_LT(error.message().size(), 300U);
  for (const char c : error.message()) EXPECT_TRUE(c >= 0x20 && c < 0x7f);
  EXPECT_THAT(error_of_response(404, {}, "404 page not found\n").message(),
              testing::EndsWith("404 page not found"));
}

TEST(StatusError, AnEmptyStatusStillHasASentence) {
  EXPECT_THAT(error_of_response(409, {}, R"({"kind":"Status","reason":"Conflict"})").message(),
              testing::HasSubstr("409 Conflict"));
  // A body cut at any byte is never a crash, and the HTTP status stays.
  const std::string whole = status_body("NotFound", 404);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    EXPECT_EQ(error_of_response(404, {}, std::string_view(whole).substr(0, cut)).code(),
              Code::kNotFound);
  }
}

}  // namespace
}  // namespace davit::kube
