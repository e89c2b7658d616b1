// Test support: a NodeModel on a MemoryVolume and virtual time, and a publisher's hand.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "standin/blocknode/model/memory_volume.hpp"
#include "standin/blocknode/model/node_model.hpp"

namespace davit::standin {

class ModelFixture : public testing::Test {
 protected:
  using Request = org::hiero::block::api::PublishStreamRequest;
  using Response = org::hiero::block::api::PublishStreamResponse;

  // A new process on the same disks.
  void boot(const Environment& extra = {}) {
    Environment environment = {{"BN_WORKDIR", "/bn"}};
    for (const auto& [key, value] : extra) environment[key] = value;
    node_ = std::make_unique<NodeModel>(Settings::read(environment), default_plugins(), volume_);
    node_->set_faults(faults_, now_);
    node_->start(now_);
    collect();
  }

  // Boots and waits until every port is open.
  void boot_ready(const Environment& extra = {}) {
    boot(extra);
    run_for(std::chrono::seconds(2));
    ASSERT_TRUE(node_->health_open());
  }

  // Virtual time: ticks where the model asks for it.
  void run_for(Time span) {
    const Time end = now_ + span;
    while (true) {
      node_->tick(now_);
      collect();
      const Time next = node_->next_wakeup();
      if (next > end) break;
      now_ = std::max(next, now_);
      if (next <= now_ && ++ticks_ > 1'000'000) FAIL() << "the model never rests";
    }
    now_ = end;
    node_->tick(now_);
    collect();
  }

  void send_header(SessionId id, const Block& block) {
    Request request;
    *request.mutable_block_items()->mutable_block_items() = block.items();
    node_->publish(id, request, now_);
    collect();
  }

  void send_end(SessionId id, BlockNumber number) {
    Request request;
    request.mutable_end_of_block()->set_block_number(number);
    node_->publish(id, request, now_);
    collect();
  }

  void send(SessionId id, const Block& block) {
    send_header(id, block);
    send_end(id, block.items(0).block_header().number());
  }

  // The chain of seed 1, made once.
  const Block& chain(BlockNumber number) {
    while (blocks_.size() <= number) {
      blocks_.push_back(make_block({}, blocks_.size(),
                                   blocks_.empty() ? genesis_root() : block_root(blocks_.back())));
    }
    return blocks_[number];
  }

  // Publishes first..last on a stream of its own, block 0 with a pause so that trust is loaded.
  void fill(BlockNumber first, BlockNumber last) {
    const SessionId id = node_->open_publisher();
    for (BlockNumber number = first; number <= last; ++number) {
      send(id, chain(number));
      run_for(number == 0 ? std::chrono::seconds(1) : std::chrono::milliseconds(1));
    }
    node_->close_publisher(id);
    collect();
  }

  void collect() {
    Outputs outputs = node_->take_outputs();
    for (PublishReply& reply : outputs.replies) replies_.push_back(std::move(reply));
    for (LogLine& line : outputs.log) log_.push_back(std::move(line));
  }

  const Response& last_reply() const { return replies_.back().message; }
  bool logged(const std::string& text) const {
    for (const LogLine& line : log_) {
      if (line.text.find(text) != std::string::npos) return true;
    }
    return false;
  }

  MemoryVolume volume_;
  Faults faults_;
  Time now_{};
  std::unique_ptr<NodeModel> node_;
  std::vector<PublishReply> replies_;
  std::vector<LogLine> log_;
  std::vector<Block> blocks_;
  int ticks_ = 0;
};

}  // namespace davit::standin
