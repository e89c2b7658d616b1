// Summary: what a campaign found, in the few lines people read.
#pragma once

#include <cstdio>
#include <map>

#include "sim/life/campaign.hpp"

namespace davit::sim {

class Summary {
 public:
  void add(const std::string& name, const LifeReport& report);
  [[nodiscard]] std::size_t violations() const { return failed_; }
  // Lives, lives per minute, writes, faults and crashes per life, violations by judge.
  [[nodiscard]] std::string text(const CampaignResult& result) const;

 private:
  struct Range {
    std::size_t least = ~std::size_t{0}, sum = 0, count = 0;
    void add(std::size_t value);
    [[nodiscard]] std::string text() const;
  };
  struct Found {
    std::size_t lives = 0;
    std::string first;  // name of a life and what was wrong in it
  };
  Range writes_, requests_, faults_, crashes_;
  Duration time_{0};
  std::size_t failed_ = 0;
  std::map<std::string, Found> by_judge_;
};

}  // namespace davit::sim
