// SPDX-License-Identifier: Apache-2.0
#include "run/budget.h"

#include <doctest/doctest.h>

namespace compmond::run {
namespace {

using Loads = std::vector<OverheadBudget::Load>;

constexpr double kSecond = 1e9;
constexpr uint64_t kSecondNs = 1'000'000'000;

plan::OperationStates attached(size_t operations) {
  plan::Plan plan;
  plan.operations.resize(operations);
  for (auto& operation : plan.operations) operation.ways.resize(1);
  return plan::OperationStates(plan);
}

// A budget of 5 %, whose decisions are carried out.
struct Watched {
  explicit Watched(size_t operations) : states(attached(operations)), budget(5, operations) {}

  OverheadBudget::Decision look(const Loads& loads, uint64_t now_ns = 0, double cpu_ns = kSecond) {
    const auto decision = budget.look(loads, states, cpu_ns, kSecond, now_ns);
    for (const size_t i : decision.pause) states.pause(i, now_ns, "too dear");
    for (const size_t i : decision.bring_back) states.come_back(i, now_ns, "");
    return decision;
  }
  // What is decided when it was too dear before as well.
  OverheadBudget::Decision look_again(const Loads& loads, uint64_t now_ns) {
    CHECK(!look(loads, now_ns).any());
    return look(loads, now_ns);
  }

  plan::OperationStates states;
  OverheadBudget budget;
};

Loads loads(std::initializer_list<double> costs) {
  Loads out;
  for (const double cost : costs) out.push_back({1, cost});
  return out;
}

TEST_CASE("budget: below it nothing is paused") {
  CHECK(!Watched(2).look(loads({0.02 * kSecond, 0.029 * kSecond})).any());
}

TEST_CASE("budget: a burst of one look takes nothing away, however often one comes") {
  Watched run(1);
  for (int round = 0; round < 5; ++round) {
    CHECK(!run.look(loads({0.4 * kSecond})).any());
    CHECK(!run.look(loads({0.01 * kSecond})).any());
  }
}

TEST_CASE("budget: what takes most of the time goes at the first look") {
  CHECK(Watched(2).look(loads({0.01 * kSecond, 0.6 * kSecond})).pause == std::vector<size_t>{1});
  CHECK(OverheadBudget::floods(loads({0.3 * kSecond, 0.3 * kSecond}), kSecond, kSecond));
  CHECK_FALSE(OverheadBudget::floods(loads({0.4 * kSecond}), kSecond, kSecond));
  CHECK_FALSE(OverheadBudget::floods(loads({9e6}), 10e6, 10e6));  // over before they are gone
}

TEST_CASE("budget: above it the dearest go first, until the rest fits with room to spare") {
  Watched run(3);
  const auto decision = run.look_again(loads({0.01 * kSecond, 0.45 * kSecond, 0.02 * kSecond}), 0);
  CHECK(decision.pause ==
        std::vector<size_t>{1, 2});  // 0.03 of the 0.55 s that are left is above 4 %
}

TEST_CASE(
    "budget: what costs less than half a percent of a CPU stays, however idle the target is") {
  CHECK(!Watched(1).look(loads({0.004 * kSecond}), 0, 0.005 * kSecond).any());
}

TEST_CASE("budget: a paused operation is tried again, later each time that it was too dear again") {
  Watched run(1);
  uint64_t now = 0;
  uint64_t pause = 10;
  for (int round = 0; round < 8; ++round) {
    REQUIRE(run.look_again(loads({0.4 * kSecond}), now).pause == std::vector<size_t>{0});
    CHECK(!run.look(loads({0}), now + pause * kSecondNs - 1).any());
    now += pause * kSecondNs;
    CHECK(run.look(loads({0}), now).bring_back == std::vector<size_t>{0});
    pause = pause < 320 ? 2 * pause : 320;
  }
}

TEST_CASE("budget: what was refused while it was paused is not tried again") {
  Watched run(1);
  REQUIRE(run.look_again(loads({0.4 * kSecond}), 0).pause == std::vector<size_t>{0});
  run.states.refuse(0, "its file was replaced");
  CHECK(!run.look(loads({0}), 3600 * kSecondNs).any());
}

TEST_CASE(
    "budget: late records of an operation that is already paused do not pause others for it") {
  Watched run(2);
  REQUIRE(run.look_again(loads({0.4 * kSecond, 0.002 * kSecond}), 0).pause ==
          std::vector<size_t>{0});
  CHECK(!run.look(loads({0.5 * kSecond, 0.001 * kSecond}), 1).any());
}

}  // namespace
}  // namespace compmond::run
