#include "sim/life/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace davit::sim {

void Summary::Range::add(std::size_t value) {
  least = std::min(least, value);
  sum += value;
  ++count;
}

std::string Summary::Range::text() const {
  if (count == 0) return "none";
  return fmt::format("{} at least, {:.1f} on average", least,
                     static_cast<double>(sum) / static_cast<double>(count));
}

void Summary::add(const std::string& name, const LifeReport& report) {
  const Outcome& outcome = report.outcome;
  writes_.add(outcome.writes);
  requests_.add(outcome.requests);
  faults_.add(outcome.faults);
  crashes_.add(outcome.crashes);
  time_ += outcome.time;
  if (outcome.violations.empty()) return;
  ++failed_;
  std::set<std::string> seen;
  for (const Violation& violation : outcome.violations) {
    if (!seen.insert(violation.judge).second) continue;
    Found& found = by_judge_[violation.judge];
    ++found.lives;
    if (found.first.empty()) {
      found.first = fmt::format("{}, {:.1f} s: {}", name,
                                std::chrono::duration<double>(violation.at.since_epoch).count(),
                                violation.sentence);
    }
  }
}

std::string Summary::text(const CampaignResult& result) const {
  const double minutes = std::chrono::duration<double>(result.wall).count() / 60;
  std::string out = fmt::format(
      "{} lives in {:.1f} s: {:.0f} a minute; {:.0f} virtual hours\n"
      "writes per life:   {}\nrequests per life: {}\nfaults per life:   {}\n"
      "crashes per life:  {}\nlives with a violation: {}\n",
      result.lives, minutes * 60, minutes > 0 ? static_cast<double>(result.lives) / minutes : 0,
      std::chrono::duration<double>(time_).count() / 3600, writes_.text(), requests_.text(),
      faults_.text(), crashes_.text(), failed_);
  for (const auto& [judge, found] : by_judge_) {
    out += fmt::format("  {} in {} lives\n    {}\n", judge, found.lives, found.first);
  }
  return out;
}

}  // namespace davit::sim
