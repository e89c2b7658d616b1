#include "standin/blocknode/tools/subscribe.hpp"

#include <fmt/format.h>

#include "standin/blocknode/model/chain_check.hpp"
#include "standin/blocknode/tools/node_client.hpp"

namespace davit::standin {
namespace {

namespace api = org::hiero::block::api;
using Response = api::SubscribeStreamResponse;

int fail(const std::string& why) {
  fmt::print(stderr, "subscribe: {}\n", why);
  return 1;
}

}  // namespace

int subscribe(const SubscribeOptions& options) {
  const auto channel = open_channel(options.from);
  api::SubscribeStreamRequest request;
  if (!options.first || (!options.last && !options.follow)) {
    const auto status =
        server_status(options.status.empty() ? channel : open_channel(options.status));
    if (!status) return fail("no answer from the status service");
    if (status->last_available_block() == kNone) return fail("the node has no blocks");
    request.set_start_block_number(status->first_available_block());
    request.set_end_block_number(status->last_available_block());
  }
  if (options.first) request.set_start_block_number(*options.first);
  if (options.last) request.set_end_block_number(*options.last);
  if (options.follow) request.set_end_block_number(kNone);

  grpc::ClientContext context;
  const auto stream =
      api::BlockStreamSubscribeService::NewStub(channel)->subscribeBlockStream(&context, request);
  ChainCheck check(request.start_block_number(), options.seed);
  Block block;
  std::string problem;
  std::optional<Response::Code> code;
  for (Response response; problem.empty() && stream->Read(&response);) {
    if (response.has_block_items()) {
      block.mutable_items()->MergeFrom(response.block_items().block_items());
    } else if (response.has_end_of_block()) {
      problem = check.take(block, response.end_of_block().block_number());
      block.Clear();
    } else {
      code = response.status();
    }
  }
  context.TryCancel();
  const grpc::Status result = stream->Finish();
  if (check.next() > request.start_block_number()) {
    fmt::print("verified blocks {}..{}\n", request.start_block_number(), check.next() - 1);
  }
  if (!problem.empty()) return fail(problem);
  if (code != Response::SUCCESS) {
    return fail("stream ended with " +
                (code ? Response::Code_Name(*code) : "no status: " + result.error_message()));
  }
  if (check.next() != request.end_block_number() + 1) return fail("blocks are missing at the end");
  return 0;
}

}  // namespace davit::standin
