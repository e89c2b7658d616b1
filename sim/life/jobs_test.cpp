#include "sim/life/jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

namespace davit::sim {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

json::object square(std::size_t n) { return {{"square", n * n}}; }

TEST(Jobs, EachPieceIsToldOnceWithWhatItSaid) {
  std::map<std::size_t, std::int64_t> told;
  run_jobs(4, square, {.jobs = 3, .time = {}}, [&](const Piece& piece) {
    EXPECT_EQ(piece.death, "");
    return told.emplace(piece.index, piece.said.at("square").to_number<std::int64_t>()).second;
  });
  EXPECT_THAT(told, UnorderedElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 4), Pair(3, 9)));
}

TEST(Jobs, AJobThatDiesIsTheEndOfOnePieceOnly) {
  std::map<std::size_t, std::string> deaths;
  const auto work = [](std::size_t n) {
    if (n == 1) ::_exit(3);
    return square(n);
  };
  run_jobs(4, work, {.jobs = 1, .time = {}}, [&](const Piece& piece) {
    deaths[piece.index] = piece.death;
    return true;
  });
  EXPECT_THAT(deaths, UnorderedElementsAre(Pair(0, ""), Pair(1, "the process ended with 3"),
                                           Pair(2, ""), Pair(3, "")));
}

TEST(Jobs, ToldMayEndAll) {
  std::size_t told = 0;
  run_jobs(1000, square, {.jobs = 2, .time = {}}, [&](const Piece&) { return ++told < 3; });
  EXPECT_EQ(told, 3U);
}

}  // namespace
}  // namespace davit::sim
