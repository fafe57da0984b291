// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "figures/cost_check.h"
#include "scene.h"

using namespace compmond;
using namespace compmond::figures;
using trace::in;
using trace::out;

namespace {

constexpr uint64_t kLittleCpu = kCpuSpeaksNs - 1;

// Calls of operation `op`, one after the other, that take so long.
void call(Scene& run, OperationId op, int times, uint64_t raw_ns, uint64_t& now) {
  std::vector<record::Event> events;
  for (int i = 0; i < times; ++i, now += raw_ns + 1000) {
    events.push_back(in(op, 900, now));
    events.push_back(out(op, 900, now + raw_ns));
  }
  run.feed(1, events);
}

// Two operations of one class and one of another.
struct Measured : Scene {
  Measured() : Scene({0, 0, 0}, {-1}) {
    model.inside_ns = {500, 500, 500};
    model.outside_ns = {1000, 1000, 1000};
  }
  std::vector<double> shares(uint64_t cpu_ns = kLittleCpu) {
    return possible_shares(model, std::vector{0, 0, 1}, checkpoint(now), cpu_ns);
  }
  uint64_t now = 0;
};

}  // namespace

TEST_CASE("possible costs: the calls of one operation speak for all of its class") {
  Measured run;
  call(run, 0, 2000, 700, run.now);
  CHECK(run.shares() == std::vector<double>{1, 1});
  call(run, 1, 2000, 250, run.now);
  CHECK(run.shares()[0] == doctest::Approx(0.5).epsilon(0.02));
  CHECK(run.shares()[1] == 1);
  call(run, 2, 2000, 470, run.now);
  CHECK(run.shares()[1] == 1);  // it agrees
}

TEST_CASE("possible costs: few calls, single short ones and calls that were left say nothing") {
  Measured few;
  call(few, 0, 999, 100, few.now);
  CHECK(few.shares()[0] == 1);

  Measured single;
  call(single, 0, 6000, 700, single.now);
  call(single, 0, 4000, 300, single.now);  // the inside of calls varies
  CHECK(single.shares()[0] == 1);

  Measured left;
  call(left, 0, 2000, 100, left.now);
  std::vector<record::Event> events;
  for (int i = 0; i < 2000; ++i, left.now += 100) events.push_back(in(0, 900, left.now));
  left.feed(1, events);
  CHECK(left.shares()[0] == 1);
}

TEST_CASE("possible costs: all together cost no more than all of the CPU time") {
  Measured run;
  call(run, 0, 1'000'000, 600, run.now);
  call(run, 2, 1'000'000, 600, run.now);
  CHECK(run.shares(6'000'000'000) == std::vector<double>{1, 1});
  CHECK(run.shares(1'500'000'000) == std::vector<double>{0.5, 0.5});
  CHECK(run.shares(kLittleCpu) == std::vector<double>{1, 1});
}

TEST_CASE("possible costs: where costs were corrected more than a tenth is uncertain") {
  Scene run({0, 1}, {-1, 0});
  run.model.inside_ns = {20, 20};
  run.model.corrected = {0, 1};
  run.feed(1, {in(0, 900, 0), out(0, 900, 100), in(1, 900, 1000), out(1, 900, 1100)});
  const Result whole = run.whole(2000);
  CHECK_FALSE(whole.operations[0].uncertain);
  CHECK(whole.operations[1].uncertain);
  CHECK(whole.components[1].uncertain);
  CHECK(whole.subtrees[0].uncertain);
  CHECK_FALSE(whole.components[0].uncertain);
}
