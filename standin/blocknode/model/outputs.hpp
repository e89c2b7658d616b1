// What the model wants done outside: answers to publishers, log lines, notice of new blocks.
//
// The model fills it, the driver (server or simulator) takes it away after each input and acts.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "blocknode/messages.pb.h"
#include "standin/blocknode/model/types.hpp"

namespace davit::standin {

using SessionId = std::uint64_t;

struct PublishReply {
  SessionId session;
  org::hiero::block::api::PublishStreamResponse message;
  bool last = false;  // the node closes the stream after it
};

struct Outputs {
  std::vector<PublishReply> replies;
  std::vector<LogLine> log;
  bool blocks_available = false;  // subscribers may find more than before

  void info(std::string source, std::string text) {
    log.push_back({LogLevel::kInfo, std::move(source), std::move(text)});
  }
  void warning(std::string source, std::string text) {
    log.push_back({LogLevel::kWarning, std::move(source), std::move(text)});
  }
  void severe(std::string source, std::string text) {
    log.push_back({LogLevel::kSevere, std::move(source), std::move(text)});
  }
};

}  // namespace davit::standin
