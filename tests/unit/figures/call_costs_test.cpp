// SPDX-License-Identifier: Apache-2.0
#include "figures/call_costs.h"

#include <doctest/doctest.h>

#include "scene.h"

using namespace compmond;
using namespace compmond::figures;
using trace::in;
using trace::out;

namespace {

record::Event cheap_exit(OperationId op, uint64_t sp, uint64_t time_ns) {
  record::Event event = out(op, sp, time_ns);
  event.flags = record::kCheapExit;
  return event;
}

// Operation 0 calls operation 1, whose calls cost 10 inside and 100 outside.
struct Costly : Scene {
  Costly() : Scene({0, 1}, {-1, -1}) {
    model.inside_ns = {0, 10};
    model.outside_ns = {0, 100};
    model.cheap_less_ns = {0, 80};
    model.left_inside_less_ns = {0, 4};
    model.left_outside_less_ns = {0, 60};
    model.stay_ns = {0, 7};
  }
};

}  // namespace

TEST_CASE("call costs: one execution is charged as all of its kind, raw costs charge nothing") {
  Costly run;
  trace::Execution one;
  one.op = 1;
  const auto cost = [&] { return cost_of(run.model, one); };
  CHECK(cost().inside_ns == 10);
  CHECK(cost().outside_ns == 100);
  one.flags = trace::kCheapExit;
  CHECK(cost().outside_ns == 20);
  one.flags = trace::kEntryOnly;
  CHECK(cost().inside_ns == 0);
  one.flags = 0;
  one.reason = trace::Closed::kFailed;
  CHECK(cost().inside_ns == 6);
  CHECK(cost().outside_ns == 40);
  one.stays = 3;
  CHECK(cost().inside_ns == 6 + 3 * 7);
  run.model.raw_costs = true;
  CHECK(cost().outside_ns == 0);

  run.feed(1, {in(0, 900, 0), in(1, 800, 1000), out(1, 800, 2000), out(0, 900, 10'000)});
  const Figures raw = run.whole(10'000).operations[0];
  CHECK(raw.net_real_ns == raw.real_ns);
}

TEST_CASE("call costs: a cheap exit and none at all are charged as what they are") {
  Costly run;
  run.feed(1, {in(0, 900, 0), in(1, 800, 1000), cheap_exit(1, 800, 2000), in(1, 800, 3000),
               out(1, 800, 4000), out(0, 900, 10'000)});
  CallCosts costs = call_costs(run.model, run.checkpoint(10'000));
  CHECK(costs.inside_ns[1] == 10);
  CHECK(costs.outside_ns[1] == 60);  // of two calls one was left cheaply
  CHECK(run.whole(10'000).operations[0].net_real_ns == 8000 - 2 * 60);

  Costly left;
  left.feed(1, {in(0, 900, 0), in(1, 800, 1000), trace::transfer(Transfer::kJump, 700, 2000),
                out(0, 900, 10'000)});
  costs = call_costs(left.model, left.checkpoint(10'000));
  CHECK(costs.inside_ns[1] == 6);
  CHECK(costs.outside_ns[1] == 40);
  CHECK(left.whole(10'000).operations[1].net_real_ns == 1000 - 6);
}

TEST_CASE("call costs: who stayed at a conditional way out is charged for each time") {
  Costly run;
  run.feed(1,
           {in(0, 900, 0), in(1, 800, 1000), trace::stays(1, 800, 1100), trace::stays(1, 800, 1200),
            out(1, 800, 2000), in(1, 800, 3000), out(1, 800, 4000), out(0, 900, 10'000)});
  const CallCosts costs = call_costs(run.model, run.checkpoint(10'000));
  CHECK(costs.inside_ns[1] == 10 + 7);  // two stays in two calls
  CHECK(run.whole(10'000).operations[1].net_real_ns == 2000 - 2 * (10 + 7));
  CHECK(run.figures(10'000, {500, 2500}).operations[1].net_real_ns == 1000 - 10 - 7);
  CHECK(run.closed[0].stays == 2);
  CHECK(run.closed[1].stays == 0);
}

TEST_CASE("call costs: before any call has ended they are as measured") {
  Costly run;
  run.feed(1, {in(1, 800, 1000)});
  CHECK(call_costs(run.model, run.checkpoint(2000)).total_ns(1) == 110);
}

TEST_CASE("call costs: raw times contain what the probes of all calls below cost") {
  Scene run({0, 1, 2}, {-1, -1, -1});
  run.model.inside_ns = {1, 10, 20};
  run.model.outside_ns = {0, 100, 200};
  run.feed(1, {in(0, 900, 0), in(1, 800, 1000), in(2, 700, 2000), out(2, 700, 2050),
               in(2, 700, 3000), out(2, 700, 3070), out(1, 800, 4000), in(1, 800, 5000),
               out(1, 800, 5100), out(0, 900, 100'000)});
  const history::Checkpoint all = run.checkpoint(100'000);
  const std::vector<double> contained = contained_cost(call_costs(run.model, all), all);
  CHECK(contained[2] == 20);
  CHECK(contained[1] == 10 + 220);  // two calls of 2 in two of 1
  CHECK(contained[0] == 1 + 2 * (100 + 230));

  const Result whole = run.whole(100'000);
  CHECK(whole.operations[0].uncertain_below_ns == 0);   // 661 of 100,000 ns
  CHECK(whole.operations[1].uncertain_below_ns == 0);   // 10 + 220 * t / 1550 < t / 3 from 53 ns on
  CHECK(whole.operations[2].uncertain_below_ns == 60);  // 20 > t / 3, of 50 and 70 ns
}

TEST_CASE("call costs: where nested probes are over a third of the mean every time is uncertain") {
  Costly run;
  run.feed(1, {in(0, 900, 0), in(1, 800, 100), out(1, 800, 200), out(0, 900, 320)});
  CHECK(run.whole(320).operations[0].uncertain_below_ns == 321);  // 110 of 320 ns
  Costly slower;
  slower.feed(1, {in(0, 900, 0), in(1, 800, 100), out(1, 800, 200), out(0, 900, 340)});
  CHECK(slower.whole(340).operations[0].uncertain_below_ns == 0);
}

TEST_CASE("call costs: how deep calls to oneself go does not matter") {
  Scene run({0}, {-1});
  run.model.inside_ns = {10};
  run.model.outside_ns = {100};
  run.feed(1, {in(0, 900, 0), in(0, 800, 10), in(0, 700, 20), out(0, 700, 80), out(0, 800, 90),
               out(0, 900, 100)});
  const history::Checkpoint all = run.checkpoint(100);
  CHECK(contained_cost(call_costs(run.model, all), all)[0] == doctest::Approx(10 + 2.0 / 3 * 110));
}

TEST_CASE("call costs: how unsure times are is in the figures of any window") {
  Costly run;
  run.feed(1, {in(0, 900, 0), in(1, 800, 1000), out(0, 900, 5000)});
  CHECK(run.whole(5000).operations[1].unsure_ns == 4000);
  CHECK(run.figures(5000, {500, 5000}).operations[1].unsure_ns == 4000);
  CHECK(run.figures(5000, {500, 5000}).operations[0].unsure_ns == 4000);
}

TEST_CASE("call costs: an edge into a recursive component is no longer than its raw time") {
  Scene run({0, 1}, {-1, -1});
  run.feed(1, {in(0, 900, 0), in(1, 800, 1), in(0, 700, 2), in(1, 600, 3), out(1, 600, 7),
               out(0, 700, 8), out(1, 800, 9), out(0, 900, 10)});
  const Result whole = run.whole(10);
  for (const Edge& edge : whole.edges)
    CHECK(edge.raw_ns <= whole.components[size_t(edge.to)].raw_ns);
  CHECK(whole.edges.size() == 3);
  // Of the call back nothing begins in the window, and its time is that of the outer one.
  CHECK(run.figures(10, {5, 10}).edges.size() == 2);
  for (const Edge& edge : run.figures(10, {5, 10}).edges)
    CHECK(edge.raw_ns <= run.figures(10, {5, 10}).components[size_t(edge.to)].raw_ns);
}
