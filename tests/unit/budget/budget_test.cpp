// SPDX-License-Identifier: Apache-2.0
#include "budget/budget.h"

#include <doctest/doctest.h>

#include "budget/see_all.h"

namespace compmond::run {
namespace {

constexpr double kSecond = 1e9;

// A second in which the targets used so much CPU time, and operations cost these parts of it.
Seen second(std::initializer_list<double> costs, double cpu = 1, double beside = 0) {
  Seen out;
  for (const double cost : costs) out.loads.push_back({1000, cost * kSecond});
  out.cpu_ns = cpu * kSecond;
  out.wall_ns = kSecond;
  out.beside_ns = beside * kSecond;
  return out;
}

const OverheadBudget kFive(5);

TEST_CASE("budget: it is a share of the CPU time, and what fits leaves a fifth of it") {
  CHECK(kFive.fits(second({0.02, 0.019})));
  CHECK_FALSE(kFive.fits(second({0.02, 0.021})));
  CHECK_FALSE(kFive.binds(second({0.02, 0.029})));
  CHECK(kFive.binds(second({0.02, 0.031})));
  CHECK(kFive.binds(second({0.11}, 2)));
  CHECK_FALSE(kFive.binds(second({0.09}, 2)));
}

TEST_CASE("budget: it is at least 1 % of one core, however idle the target is") {
  CHECK_FALSE(kFive.binds(second({0.0099}, 0.02)));
  CHECK(kFive.binds(second({0.0101}, 0.02)));
}

TEST_CASE("budget: samples and probes that come and go count like calls") {
  CHECK(kFive.binds(second({0.02}, 1, 0.031)));
  CHECK_FALSE(kFive.fits(second({0}, 1, 0.041)));
}

TEST_CASE("budget: a share of the CPU time is never more than all of it") {
  CHECK(second({0.2, 0.11}).cost_pct() == doctest::Approx(31));
  CHECK(second({1.5}).cost_pct() == 100);
  CHECK(second({0}, 0).cost_pct() == 0);
}

TEST_CASE("budget: what costs less than a tenth of it stays, all else goes at once") {
  const auto kept = kFive.kept(second({0.4, 0.001, 0.02, 0.004, 0}), {});
  // 0.576 s are left, of which a tenth of 5 % is 0.0029.
  CHECK(kept == std::vector<bool>{false, true, false, false, true});
}

TEST_CASE("budget: of many cheap ones the cheapest stay until a fifth is left") {
  Seen seen = second({}, 2);
  seen.loads.assign(40, {1000, 0.0045 * kSecond});
  const auto kept = kFive.kept(seen, {});
  const auto stay = std::ranges::count(kept, true);
  CHECK(stay > 10);
  CHECK(double(stay) * 0.0045 <= 0.8 * 0.05 * 2);
  CHECK(stay < 20);
}

TEST_CASE("budget: what a slowed target calls rarely is dear when it runs free") {
  // Nine tenths are probes: with them gone it does ten times as much in a second.
  const auto kept = kFive.kept(second({0.9, 0.002, 0.0004}), {});
  CHECK(kept == std::vector<bool>{false, false, true});
}

TEST_CASE("budget: costs that are more than all the time leave a target some of its own") {
  const auto kept = kFive.kept(second({1.5, 0.0001}), {});
  CHECK(kept == std::vector<bool>{false, true});
}

TEST_CASE("budget: what was hardly called stays until more is known of it") {
  Seen seen = second({0.9, 0.02, 0.02});
  seen.loads[1].calls = 4;
  CHECK(kFive.kept(seen, {}) == std::vector<bool>{false, true, false});
}

TEST_CASE("budget: what must see every call stays while all of it is at most half the budget") {
  const std::vector<bool> must{false, true, false};
  // Without the dear one 0.6 s are left, of which it may take 2.5 %.
  CHECK(kFive.kept(second({0.4, 0.0145, 0.001}), must) == std::vector<bool>{false, true, true});
  CHECK(kFive.kept(second({0.4, 0.016, 0.001}), must) == std::vector<bool>{false, false, true});
}

TEST_CASE("budget: what must see every call is held to half of it while the others are away, too") {
  const std::vector<bool> must{false, true};
  CHECK(kFive.may_see_all(second({0, 0.0245}), must));
  CHECK_FALSE(kFive.may_see_all(second({0, 0.026}), must));
  CHECK(kFive.may_see_all(second({0.04, 0}), must));
  CHECK(kFive.may_see_all(second({0.04, 0.01}), must, 0.9, true));
  CHECK_FALSE(kFive.may_see_all(second({0, 0.01}), must, 1.1, true));
}

TEST_CASE("budget: landmarks, contexts and objectives that end the run must see every call") {
  plan::Plan plan;
  plan.operations.resize(4);
  plan.operations[0].landmark = true;
  plan.operations[1].contexts.resize(1);
  plan.operations[2].slo_ms = 5;
  CHECK(see_all(plan, true) == std::vector<bool>{true, true, true, false});
  CHECK(see_all(plan, false) == std::vector<bool>{true, true, false, false});
}

TEST_CASE("budget: a target that became quiet is known by what it does without probes") {
  CHECK_FALSE(kFive.would_fit(second({0.01}, 0.5), 90));
  CHECK(kFive.would_fit(second({0.0001}, 0.0009), 90));
  CHECK_FALSE(kFive.would_fit(second({0.0001}, 0.0011), 90));
  CHECK(kFive.would_fit(second({0.01}, 1), 3));
}

TEST_CASE("budget: transfers of control that take a fifth of it are left alone, and tried again") {
  using Decision = TransferBudget::Decision;
  TransferBudget budget(5);
  constexpr uint64_t kPart = 1'000'000'000;
  const auto look = [&](double cost_ns, uint64_t now_ns) {
    Seen seen = second({});
    seen.transfers_ns = cost_ns;
    return budget.look(seen, now_ns);
  };
  CHECK(look(0.009 * kSecond, 0) == Decision::kNothing);
  CHECK(look(0.02 * kSecond, 1) == Decision::kNothing);  // may be a burst
  CHECK(look(0.001 * kSecond, 2) == Decision::kNothing);
  CHECK(look(0.02 * kSecond, 3) == Decision::kNothing);
  CHECK(look(0.02 * kSecond, 4) == Decision::kTakeAway);
  CHECK(look(0, 10 * kPart) == Decision::kNothing);
  CHECK(look(0, 11 * kPart) == Decision::kBringBack);
  CHECK(look(0.02 * kSecond, 12 * kPart) == Decision::kNothing);
  CHECK(look(0.02 * kSecond, 13 * kPart) == Decision::kTakeAway);
  CHECK(look(0, 30 * kPart) == Decision::kNothing);  // twice as long now
  CHECK(look(0, 34 * kPart) == Decision::kBringBack);
}

}  // namespace
}  // namespace compmond::run
