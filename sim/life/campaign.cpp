#include "sim/life/campaign.hpp"

#include "sim/life/jobs.hpp"

namespace davit::sim {

namespace {

json::object to_json(const Outcome& o) {
  json::array violations;
  for (const Violation& v : o.violations) {
    violations.push_back(json::array{v.judge, v.at.since_epoch.count(), v.sentence});
  }
  return {{"requests", o.requests},      {"writes", o.writes},
          {"faults", o.faults},          {"crashes", o.crashes},
          {"starts", o.starts},          {"digest", o.digest},
          {"time", o.time.count()},      {"turns", o.turns},
          {"lifeWrites", o.life_writes}, {"violations", std::move(violations)}};
}

Outcome outcome_from(const json::object& line) {
  const auto number = [&](const char* name) { return line.at(name).to_number<std::uint64_t>(); };
  Outcome o;
  o.requests = number("requests");
  o.writes = number("writes");
  o.faults = number("faults");
  o.crashes = number("crashes");
  o.starts = number("starts");
  o.digest = number("digest");
  o.turns = number("turns");
  o.life_writes = number("lifeWrites");
  o.time = Duration(line.at("time").to_number<Duration::rep>());
  for (const json::value& value : line.at("violations").as_array()) {
    const json::array& v = value.as_array();
    o.violations.push_back({std::string(v[0].as_string()),
                            Monotonic{Duration(v[1].to_number<Duration::rep>())},
                            std::string(v[2].as_string())});
  }
  return o;
}

}  // namespace

CampaignResult campaign(std::size_t count, const std::function<Life(std::size_t)>& life_of,
                        const CampaignOptions& options,
                        const std::function<void(const LifeReport&)>& told) {
  const SystemClock clock;
  const Monotonic begin = clock.now();
  CampaignResult result;
  const auto live = [&](std::size_t n) {
    const Life life = life_of(n);
    return to_json(run(life.schedule, life.options));
  };
  run_jobs(count, live, {.jobs = options.jobs, .time = options.time}, [&](const Piece& piece) {
    LifeReport report{.index = piece.index, .outcome = {}};
    if (piece.death.empty()) {
      report.outcome = outcome_from(piece.said);
    } else {
      report.outcome.violations.push_back({"NoCrash", {}, piece.death});
    }
    ++result.lives;
    told(report);
    return !options.stop_at_first || report.outcome.violations.empty();
  });
  result.wall = clock.now() - begin;
  return result;
}

}  // namespace davit::sim
