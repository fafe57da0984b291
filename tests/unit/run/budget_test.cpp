// SPDX-License-Identifier: Apache-2.0
#include "run/budget.h"

#include <doctest/doctest.h>

using compmond::run::OverheadBudget;
using Loads = std::vector<OverheadBudget::Load>;

namespace {

constexpr double kSecond = 1e9;
constexpr uint64_t kSecondNs = 1'000'000'000;

// What is decided when it was too dear before as well.
OverheadBudget::Decision look_again(OverheadBudget& budget, const Loads& now, uint64_t now_ns) {
  CHECK(!budget.look(now, kSecond, kSecond, now_ns).any());
  return budget.look(now, kSecond, kSecond, now_ns);
}

Loads loads(std::initializer_list<double> costs) {
  Loads out;
  for (const double cost : costs) out.push_back({1, cost});
  return out;
}

}  // namespace

TEST_CASE("budget: below it nothing is detached") {
  OverheadBudget budget(5, 2);
  CHECK(!budget.look(loads({0.02 * kSecond, 0.029 * kSecond}), kSecond, kSecond, 0).any());
}

TEST_CASE("budget: a burst of one look takes nothing away, however often one comes") {
  OverheadBudget budget(5, 1);
  for (int round = 0; round < 5; ++round) {
    CHECK(!budget.look(loads({0.9 * kSecond}), kSecond, kSecond, 0).any());
    CHECK(!budget.look(loads({0.01 * kSecond}), kSecond, kSecond, 0).any());
  }
}

TEST_CASE("budget: above it the dearest go first, until the rest fits with room to spare") {
  OverheadBudget budget(5, 3);
  const auto decision =
      look_again(budget, loads({0.01 * kSecond, 0.5 * kSecond, 0.02 * kSecond}), 0);
  CHECK(decision.detach ==
        std::vector<size_t>{1, 2});  // 0.03 of the 0.5 s that are left is above 4 %
  CHECK(budget.detached(1));
  CHECK(!budget.detached(0));
}

TEST_CASE(
    "budget: what costs less than half a percent of a CPU stays, however idle the target is") {
  OverheadBudget budget(5, 1);
  CHECK(!budget.look(loads({0.004 * kSecond}), 0.005 * kSecond, kSecond, 0).any());
}

TEST_CASE(
    "budget: a detached operation is tried again, later each time that it was too dear again") {
  OverheadBudget budget(5, 1);
  uint64_t now = 0;
  uint64_t pause = 10;
  for (int round = 0; round < 8; ++round) {
    REQUIRE(look_again(budget, loads({0.9 * kSecond}), now).detach == std::vector<size_t>{0});
    CHECK(!budget.look(loads({0}), kSecond, kSecond, now + pause * kSecondNs - 1).any());
    now += pause * kSecondNs;
    CHECK(budget.look(loads({0}), kSecond, kSecond, now).bring_back == std::vector<size_t>{0});
    CHECK(!budget.detached(0));
    pause = pause < 320 ? 2 * pause : 320;
  }
}

TEST_CASE(
    "budget: late records of an operation that is already detached do not detach others for it") {
  OverheadBudget budget(5, 2);
  REQUIRE(look_again(budget, loads({0.9 * kSecond, 0.002 * kSecond}), 0).detach ==
          std::vector<size_t>{0});
  CHECK(!budget.look(loads({0.5 * kSecond, 0.001 * kSecond}), kSecond, kSecond, 1).any());
}
