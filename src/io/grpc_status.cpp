// The numbers of grpc-status (github.com/grpc/grpc, doc/statuscodes.md) and what they mean to us.
#include <array>

#include "io/grpc_client.hpp"

namespace davit::io {

namespace {

struct Row {
  std::string_view name;
  Code code;
};

// kInternal is for bugs of ours: what a server calls UNKNOWN, INTERNAL or DATA_LOSS is its trouble.
constexpr std::array<Row, 17> kRows{{
    {"OK", Code::kInternal},
    {"CANCELLED", Code::kUnavailable},
    {"UNKNOWN", Code::kUnavailable},
    {"INVALID_ARGUMENT", Code::kInvalid},
    {"DEADLINE_EXCEEDED", Code::kDeadlineExceeded},
    {"NOT_FOUND", Code::kNotFound},
    {"ALREADY_EXISTS", Code::kAlreadyExists},
    {"PERMISSION_DENIED", Code::kForbidden},
    {"RESOURCE_EXHAUSTED", Code::kTooManyRequests},
    {"FAILED_PRECONDITION", Code::kConflict},
    {"ABORTED", Code::kConflict},
    {"OUT_OF_RANGE", Code::kInvalid},
    {"UNIMPLEMENTED", Code::kUnsupported},
    {"INTERNAL", Code::kUnavailable},
    {"UNAVAILABLE", Code::kUnavailable},
    {"DATA_LOSS", Code::kUnavailable},
    {"UNAUTHENTICATED", Code::kUnauthenticated},
}};

constexpr std::size_t kUnknown = 2;

const Row& row(unsigned status) { return kRows[status < kRows.size() ? status : kUnknown]; }

}  // namespace

Code grpc_code(unsigned status) { return row(status).code; }
std::string_view grpc_status_name(unsigned status) { return row(status).name; }

}  // namespace davit::io
