// SPDX-License-Identifier: Apache-2.0
#include "slicing/counting_plan.h"

#include <doctest/doctest.h>

using namespace compmond::run;

namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kSlice = 60 * kMs;

struct Counted {
  double share = 0, in_windows = 0;  // of all the time
};

// A run of slices with windows between them, as long as planned.
Counted run(CountingPlan& plan, uint64_t planned_gap_ns) {
  double all = 0, counted = 0, windows = 0;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t gap = plan.gap_ns(kSlice, planned_gap_ns);
    all += double(kSlice + gap);
    counted += double(kSlice + CountingPlan::kLead + plan.settle_ns());
    const uint64_t end = gap - CountingPlan::kLead;
    for (uint64_t at = plan.settle_ns(); at < end;) {
      const uint64_t begins = at + plan.pause_ns();
      at = begins + CountingPlan::kWindow;
      if (begins < end) windows += double(std::min(at, end) - begins);
    }
  }
  return {(counted + windows) / all, windows / all};
}

}  // namespace

TEST_CASE("counting plan: what may be counted all the time is") {
  CountingPlan plan(1);
  plan.learn(0.01, 0.01);
  CHECK(plan.always());
  CHECK(plan.gap_ns(kSlice, 300 * kMs) == 300 * kMs);
  plan.learn(0, 0);
  CHECK(plan.always());
}

TEST_CASE(
    "counting plan: else it takes what it may, half of that in windows, less beside receives") {
  for (const double share : {0.05, 0.15, 0.3, 0.5, 0.8})
    for (const uint64_t gap_ms : {200, 700, 3000}) {
      CountingPlan plan(2);
      plan.learn(0.02, share * 0.02, share < 0.1);
      REQUIRE(!plan.always());
      const Counted seen = run(plan, gap_ms * kMs);
      INFO(share << ' ' << gap_ms << ": " << seen.share << ' ' << seen.in_windows);
      CHECK(seen.share > 0.75 * share);
      CHECK(seen.share < 1.1 * share);
      CHECK(seen.in_windows > (share < 0.1 ? 0.05 : 0.35) * share);
    }
}

TEST_CASE("counting plan: all is counted again when it has become cheaper by far") {
  CountingPlan plan(3);
  plan.learn(0.02, 0.01);
  plan.learn(0.01, 0.011);
  CHECK(!plan.always());
  plan.learn(0.01, 0.02);
  plan.learn(0.01, 0.011);
  plan.learn(0.01, 0.02);
  plan.learn(0.01, 0.02);
  CHECK(!plan.always());  // not for two seconds
  plan.learn(0.01, 0.02);
  CHECK(plan.always());
}

TEST_CASE("counting plan: what is too dear for some seconds is too dear") {
  CountingPlan plan(4);
  for (int i = 0; i < 4; ++i) plan.learn(0.2, 0.01);
  CHECK(!plan.too_dear());
  plan.learn(0.02, 0.01);
  for (int i = 0; i < 4; ++i) plan.learn(0.2, 0.01);
  CHECK(!plan.too_dear());
  plan.learn(0.2, 0.01);
  CHECK(plan.too_dear());
}

TEST_CASE("counting plan: where receives tell of what lies between, few windows do") {
  CountingPlan plan(5);
  for (int i = 0; i < 10; ++i) plan.learn(0.2, 0.01, true);
  CHECK(!plan.too_dear());
  for (int i = 0; i < 10; ++i) plan.learn(0.2, 0.004, true);
  CHECK(plan.too_dear());
}
