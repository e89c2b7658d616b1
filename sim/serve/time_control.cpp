#include "sim/serve/time_control.hpp"

#include <charconv>

#include "sim/verbs.hpp"
#include "wire/duration.hpp"
#include "wire/percent.hpp"

namespace davit::sim {

namespace {

constexpr double kFastest = 10'000;

std::optional<double> speed_in(std::string_view query) {
  const auto parameters = wire::decode_query(query);
  if (!parameters) return std::nullopt;
  for (const auto& [name, value] : *parameters) {
    if (name != "speed") continue;
    double speed = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), speed);
    const bool whole = error == std::errc() && end == value.data() + value.size();
    if (whole && speed >= 0 && speed <= kFastest) return speed;
  }
  return std::nullopt;
}

}  // namespace

std::optional<io::HttpResponse> answer_time_control(TimeLapse& time, const Clock& clock,
                                                    const io::HttpRequest& request) {
  const std::string_view target = request.target;
  const std::size_t question = target.find('?');
  if (target.substr(0, question) != kTimePath) return std::nullopt;
  if (request.method == "POST") {
    const auto speed =
        question == std::string_view::npos ? std::nullopt : speed_in(target.substr(question + 1));
    if (!speed) return reply(bad_request("give a speed from 0 to 10000: ?speed=60").error());
    time.set_speed(*speed);
  } else if (request.method != "GET") {
    return reply(not_served(405, "MethodNotAllowed", "GET or POST").error());
  }
  return reply(200, json::object{{"now", format_time(clock.wall())},
                                 {"speed", time.speed()},
                                 {"simulated", wire::format_duration(time.simulated())},
                                 {"notSimulatedInTime", wire::format_duration(time.forgotten())}});
}

}  // namespace davit::sim
