// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "small_run.h"
#include "snapshot/component.h"

using namespace compmond;
using namespace compmond::present::test;

TEST_CASE("view: whether an operation is observed and since when are fields") {
  Run run;
  const auto operation = [&](size_t component) {
    const auto view = run.ask({});
    REQUIRE(view);
    return view->snapshot->components[component].operations[0];
  };
  CHECK(operation(1).state == snapshot::Presence::kAttached);
  CHECK_FALSE(operation(1).since_ns);
  run.states.pause(1, 40 * kMs, "too dear");
  run.states.refuse(2, "no such place");
  CHECK(operation(1).state == snapshot::Presence::kThrottled);
  CHECK(operation(1).since_ns == 40 * kMs);
  CHECK(operation(2).state == snapshot::Presence::kRefused);
  CHECK_FALSE(operation(2).since_ns);
  run.states.come_back(1, 80 * kMs, "back");
  CHECK(operation(1).state == snapshot::Presence::kAttached);
  CHECK(operation(1).since_ns == 80 * kMs);
}

TEST_CASE("view: what was refused while it was observed keeps its figures, which are at least") {
  Run run;
  const auto component = [&] {
    const auto view = run.ask({});
    REQUIRE(view);
    return view->snapshot->components[1];
  };
  const auto before = component();
  run.states.refuse_from(40 * kMs, 1, "a tracer");
  const auto after = component();
  CHECK(before.status == snapshot::Status::kAttached);
  CHECK(after.status == snapshot::Status::kPartial);
  CHECK(after.figures.at_least);
  const snapshot::Operation& op = after.operations[0];
  CHECK(op.state == snapshot::Presence::kRefused);
  CHECK(op.since_ns == 40 * kMs);
  CHECK(op.figures.at_least);
  CHECK(op.figures.calls == before.operations[0].figures.calls);
  CHECK(has_figures(op));
  run.states = plan::OperationStates(run.plan);
  run.states.refuse(1, "no such place");  // from the start
  CHECK(component().status == snapshot::Status::kRefused);
  CHECK_FALSE(component().operations[0].figures.at_least);
  CHECK_FALSE(has_figures(component().operations[0]));
}

TEST_CASE("view: what failed is at least so many while exceptions were not watched") {
  Run run;
  run.feed(0, {in(0, 900, 82 * kMs), in(1, 800, 84 * kMs), out(0, 900, 86 * kMs)});
  run.store.fill(run.checkpoint);
  run.checkpoint.trace = run.tracer.ledger();
  const auto ask = [&](uint64_t from, uint64_t to) {
    snapshot::ViewRequest request;
    request.window = snapshot::TimeWindow{0, from * kMs, to * kMs};
    const auto view = run.ask(request);
    REQUIRE(view);
    return *view->snapshot;
  };
  const auto marked = [&](size_t component, uint64_t from, uint64_t to) {
    const snapshot::Component c = ask(from, to).components[component];
    CHECK(c.figures.closed.failed_at_least == c.operations[0].figures.closed.failed_at_least);
    return c.figures.closed.failed_at_least;
  };
  REQUIRE(ask(0, 100).components[1].figures.closed.abandoned == 1);
  CHECK_FALSE(marked(1, 0, 100));  // it jumped, or nobody knows
  CHECK_FALSE(ask(0, 100).health.failed_at_least);
  run.states.busy().transfers_away = {{80 * kMs, 90 * kMs}};
  CHECK(marked(1, 0, 100));
  CHECK(ask(0, 100).health.failed_at_least);
  CHECK_FALSE(marked(0, 0, 100));  // all of it returned
  CHECK_FALSE(marked(1, 0, 80));
  CHECK_FALSE(marked(1, 90, 100));
}
