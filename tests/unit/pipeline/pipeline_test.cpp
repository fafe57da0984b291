// SPDX-License-Identifier: Apache-2.0
// The data side from events to snapshot with a list of events in place of the kernel: no
// privileges.
#include "pipeline/pipeline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "list_source.h"
#include "present/snapshot_builder.h"

using namespace compmond;
using pipeline::test::at;
using pipeline::test::kMs;
using pipeline::test::kStart;
using pipeline::test::ListSource;
using record::Event;
using record::EventKind;

namespace {

// Component A (operation 0) calls B (1), which calls C (2).
spec::Spec chain_spec() {
  spec::Spec out;
  out.name = "chain";
  for (const char* name : {"A", "B", "C"}) {
    spec::Component component;
    component.name = component.path = name;
    out.components.push_back(component);
  }
  out.connections = {{0, 1}, {0, 2}};
  return out;
}

plan::Plan chain_plan() {
  plan::Plan out;
  for (int i = 0; i < 3; ++i) {
    plan::PlannedOperation op;
    op.component = i;
    op.ways.resize(1);
    op.name = op.symbol = std::string("f") + char('a' + i);
    out.operations.push_back(op);
  }
  return out;
}

pipeline::Options options() {
  pipeline::Options out;
  out.component_of = {0, 1, 2};
  out.history_bytes = 1u << 20;
  out.start_ns = kStart;
  return out;
}

struct Run {
  Run() : pipeline(source, options()) { pipeline.start(worker); }

  snapshot::Snapshot snapshot(double window_s = 0, bool ended = false) {
    const std::string metric = "overall";
    const std::vector<target::Program> programs{{{}, "abc"}};
    const pipeline::SharedCheckpoint now = pipeline.checkpoint();
    return present::build_snapshot({spec, plan, states, costs, engines, processes, notes,
                                    pipeline.store(), *now, programs, ended},
                                   {figures::last_seconds(*now, window_s), metric});
  }

  ListSource source;
  Worker worker = *Worker::start("cannot test");
  pipeline::Pipeline pipeline;
  spec::Spec spec = chain_spec();
  plan::Plan plan = chain_plan();
  plan::OperationStates states{plan};
  plan::Costs costs;
  std::vector<snapshot::Health::Engine> engines{{"uprobe", "session", true}};
  target::ObservedProcesses processes;
  std::vector<std::string> notes;
};

std::vector<Event> reference_chain() {
  return {at(0, EventKind::kEntry, 0, 900),   at(250, EventKind::kEntry, 1, 800),
          at(750, EventKind::kEntry, 2, 700), at(1050, EventKind::kExit, 2, 700),
          at(1550, EventKind::kExit, 1, 800), at(1800, EventKind::kExit, 0, 900)};
}

}  // namespace

TEST_CASE(
    "pipeline: the reference chain gives raw 1800/1300/300 and real 500/1000/300 in the snapshot") {
  Run run;
  run.source.put(0, reference_chain());
  run.pipeline.stop(kStart + 2000 * kMs);
  const snapshot::Snapshot s = run.snapshot(0, true);
  const uint64_t raw[] = {1800, 1300, 300}, real[] = {500, 1000, 300};
  const double hotness[] = {50, 100, 30};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(s.components[i].figures.raw_ns == raw[i] * kMs);
    CHECK(s.components[i].figures.real_ns == real[i] * kMs);
    CHECK(s.components[i].figures.hotness == doctest::Approx(hotness[i]));
    CHECK(s.components[i].figures.closed.returned == 1);
  }
  CHECK(s.health.balanced);
  CHECK(s.health.hits == 6);
}

TEST_CASE("pipeline: the same three in three threads have raw equal to real") {
  Run run;
  for (uint32_t i = 0; i < 3; ++i) {
    const uint64_t ms[] = {500, 1000, 300};
    run.source.put(i, {at(0, EventKind::kEntry, i, 900), at(ms[i], EventKind::kExit, i, 900)});
  }
  run.pipeline.stop(kStart + 2000 * kMs);
  const snapshot::Snapshot s = run.snapshot();
  for (const snapshot::Component& c : s.components) CHECK(c.figures.raw_ns == c.figures.real_ns);
  CHECK(s.threads.size() == 3);
}

TEST_CASE("pipeline: edges are declared, undeclared, or declared and never seen") {
  Run run;
  run.source.put(0, reference_chain());
  run.pipeline.stop(kStart + 2000 * kMs);
  const snapshot::Snapshot s = run.snapshot();
  const auto edge = [&](std::optional<std::string> from, const std::string& to) {
    const auto found = std::find_if(s.edges.begin(), s.edges.end(), [&](const snapshot::Edge& e) {
      return e.from == from && e.to == to;
    });
    REQUIRE(found != s.edges.end());
    return *found;
  };
  CHECK(edge(std::nullopt, "A").count == 1);
  CHECK(edge("A", "B").declared);
  CHECK(!edge("B", "C").declared);
  CHECK(edge("A", "C").count == 0);
  CHECK(s.edges.size() == 4);
}

TEST_CASE("pipeline: a checkpoint taken while running counts open executions up to now") {
  Run run;
  run.source.put(0, {at(0, EventKind::kEntry, 0, 900)});
  snapshot::Snapshot s = run.snapshot();
  for (int i = 0; i < 1000 && s.components[0].figures.calls == 0; ++i) s = run.snapshot();
  CHECK(s.components[0].figures.open == 1);
  CHECK(s.components[0].figures.raw_ns == s.window_end_ns - kStart);
}

TEST_CASE("pipeline: a process that forks or calls for the first time is announced once") {
  Run run;
  Event fork = at(1, EventKind::kFork, 0, 0);
  fork.arg = 4321;
  run.source.put(0, {at(0, EventKind::kEntry, 0, 900), fork, fork});
  run.pipeline.stop(kStart);
  auto arrivals = run.pipeline.arrivals().take();
  std::sort(arrivals.begin(), arrivals.end());
  CHECK(arrivals == std::vector<pid_t>{100, 4321});
  CHECK(run.pipeline.arrivals().take().empty());
}

TEST_CASE(
    "pipeline: a refused operation makes its component partial or refused, never a silent zero") {
  Run run;
  run.states.refuse(0, "an IFUNC");
  run.pipeline.stop(kStart);
  const snapshot::Snapshot s = run.snapshot();
  CHECK(s.components[0].status == snapshot::Status::kRefused);
  CHECK(s.components[0].operations[0].exit_mode == snapshot::ExitMode::kRefused);
  CHECK(s.components[1].status == snapshot::Status::kAttached);
  REQUIRE(s.health.refused.size() == 1);
  CHECK(s.health.refused[0].reason == "an IFUNC");
  CHECK(s.health.attached == 2);
}

TEST_CASE("pipeline: probe cost is taken out of net real time, and a large correction is marked") {
  Run run;
  run.costs.set("", "", spec::ExitMode::kReturnProbe, {double(100 * kMs), double(200 * kMs)});
  run.source.put(0, reference_chain());
  run.pipeline.stop(kStart + 2000 * kMs);
  const snapshot::Snapshot s = run.snapshot();
  CHECK(s.components[0].figures.net_real_ns == 200 * kMs);  // 500 - 100 - 200 for the call of B
  CHECK(s.components[1].figures.net_real_ns == 700 * kMs);
  CHECK(s.components[2].figures.net_real_ns == 200 * kMs);
  CHECK(s.components[0].figures.uncertain);
  CHECK(!s.components[1].figures.uncertain);  // 300 of 1000
  CHECK(!s.components[2].figures.uncertain);  // 100 of 300 is a third, not more
}

TEST_CASE("pipeline: what calls cost is told of each engine that observes operations") {
  Run run;
  for (size_t i = 0; i < 3; ++i) {
    run.plan.operations[i].ways[0].engine = i == 1 ? "two" : "one";
    run.plan.operations[i].ways[0].site = "entry";
  }
  run.costs.set("one", "entry", spec::ExitMode::kReturnProbe, {100, 200});
  run.costs.set("two", "entry", spec::ExitMode::kReturnProbe, {1, 2});
  run.pipeline.stop(kStart);
  using Cost = snapshot::Health::ProbeCost;
  const auto mode = snapshot::ExitMode::kReturnProbe;
  CHECK(run.snapshot().health.probe_cost ==
        std::vector<Cost>{{"entry", mode, 100, 200, "one"}, {"entry", mode, 1, 2, "two"}});
}

TEST_CASE("pipeline: probes that go away close what is open of theirs, and nothing else") {
  Run run;
  run.pipeline.begin_change(kStart + 500 * kMs, {1});
  run.source.put(0, {at(0, EventKind::kEntry, 0, 900), at(100, EventKind::kEntry, 1, 800)});
  run.source.put(1, {at(200, EventKind::kEntry, 2, 900)});
  run.source.put(2, {at(200, EventKind::kEntry, 1, 900), at(600, EventKind::kEntry, 0, 800)});
  run.pipeline.close_open();
  run.pipeline.end_change();
  run.source.put(0, {at(700, EventKind::kExit, 0, 900)});
  run.source.put(1, {at(800, EventKind::kExit, 2, 900)});
  run.source.put(2, {at(800, EventKind::kExit, 0, 800)});
  run.pipeline.stop(kStart + 1000 * kMs);
  const snapshot::Snapshot s = run.snapshot(0, true);
  CHECK(s.components[0].figures.closed.returned == 2);
  CHECK(s.components[1].figures.closed.lossy == 2);
  CHECK(s.components[1].figures.closed.abandoned == 0);
  CHECK(s.components[2].figures.closed.returned == 1);
  CHECK(s.components[1].figures.raw_ns == 700 * kMs);  // 100 to 500, and 200 to 500
  CHECK(s.components[1].figures.real_ns == 700 * kMs);
  CHECK(s.health.clamped == 0);
  CHECK(s.health.balanced);
}

TEST_CASE("pipeline: while probes go and come, calls of which they see half do not count") {
  Run run;
  run.source.put(0, {at(0, EventKind::kEntry, 0, 900), at(100, EventKind::kEntry, 1, 800),
                     at(200, EventKind::kExit, 1, 800)});
  run.pipeline.begin_change(kStart + 500 * kMs, {1});
  run.pipeline.counts();  // begun by now
  run.source.put(0, {at(600, EventKind::kEntry, 1, 800), at(610, EventKind::kEntry, 1, 800),
                     at(620, EventKind::kExit, 1, 800), at(640, EventKind::kEntry, 2, 800),
                     at(650, EventKind::kExit, 2, 800)});
  run.pipeline.close_open();
  run.source.put(0, {at(490, EventKind::kEntry, 1, 700), at(660, EventKind::kExit, 1, 800),
                     at(670, EventKind::kEntry, 1, 800)});
  run.pipeline.end_change();
  run.source.put(0, {at(700, EventKind::kEntry, 1, 800), at(710, EventKind::kExit, 1, 800),
                     at(800, EventKind::kExit, 0, 900)});
  run.pipeline.stop(kStart + 1000 * kMs);
  const snapshot::Snapshot s = run.snapshot(0, true);
  CHECK(s.components[0].figures.closed.returned == 1);
  CHECK(s.components[1].figures.closed.returned == 2);
  CHECK(s.components[1].figures.closed.abandoned == 0);
  CHECK(s.components[2].figures.closed.returned == 1);
  CHECK(s.health.orphan_exits == 0);
  CHECK_FALSE(s.components[2].figures.at_least);
  CHECK(s.health.balanced);
}

TEST_CASE("pipeline: in a flood probes go all the same, and it ends") {
  pipeline::test::FloodSource source;
  Worker worker = *Worker::start("cannot test");
  pipeline::Pipeline pipeline(source, options());
  pipeline.start(worker);
  pipeline.begin_change(kStart + 100 * kMs, {1});
  pipeline.close_open();
  pipeline.end_change();
  pipeline.stop(kStart + 200 * kMs);
  CHECK(pipeline.checkpoint()->as_of_ns >= kStart);
}

TEST_CASE("pipeline: what is open when its probes go ends then, though it returns soon") {
  Run run;
  run.source.put(0, {at(0, EventKind::kEntry, 0, 900), at(100, EventKind::kEntry, 1, 800)});
  run.pipeline.begin_change(kStart + 200 * kMs, {1});
  run.pipeline.counts();
  run.source.put(0, {at(300, EventKind::kExit, 1, 800), at(310, EventKind::kExit, 1, 800)});
  run.source.put(1, {at(190, EventKind::kEntry, 1, 700), at(400, EventKind::kExit, 1, 700),
                     at(410, EventKind::kEntry, 1, 700)});
  run.pipeline.close_open();
  run.pipeline.end_change();
  run.pipeline.stop(kStart + 1000 * kMs);
  const snapshot::Snapshot s = run.snapshot(0, true);
  CHECK(s.components[1].figures.closed.lossy == 2);
  CHECK(s.components[1].figures.raw_ns == 110 * kMs);
  CHECK(s.components[1].figures.closed.returned == 0);
  CHECK(s.components[0].figures.closed.lossy == 0);
  CHECK(s.health.orphan_exits == 0);
  CHECK_FALSE(s.components[1].figures.at_least);
}

TEST_CASE("pipeline: where records were lost, figures are at least what is shown") {
  Run run;
  Event loss = at(600, EventKind::kLoss, 0, 0);
  loss.arg = 5;
  run.source.put(0, {at(0, EventKind::kEntry, 0, 900), at(400, EventKind::kExit, 0, 900), loss,
                     at(700, EventKind::kEntry, 1, 900)});
  run.pipeline.stop(kStart + 1000 * kMs);
  for (const double seconds : {0.0, 0.5, 0.9})
    for (const snapshot::Component& c : run.snapshot(seconds).components) CHECK(c.figures.at_least);
  for (const snapshot::Component& c : run.snapshot(0.3).components) CHECK_FALSE(c.figures.at_least);
}

TEST_CASE("pipeline: an operation whose probes were away in the window has figures of at least") {
  Run run;
  run.states.pause(1, kStart + 100 * kMs, "too dear");
  run.states.come_back(1, kStart + 200 * kMs, "");
  run.states.pause(2, kStart + 600 * kMs, "too dear");
  run.source.put(0, reference_chain());
  run.pipeline.stop(kStart + 1000 * kMs);
  const auto marked = [&](double seconds) {
    const snapshot::Snapshot s = run.snapshot(seconds);
    std::vector<bool> out;
    for (const snapshot::Component& c : s.components) out.push_back(c.figures.at_least);
    return out;
  };
  CHECK(marked(0) == std::vector<bool>{false, true, true});
  CHECK(marked(0.8) == std::vector<bool>{false, false, true});
  CHECK(run.snapshot().components[2].status == snapshot::Status::kPartial);
}

TEST_CASE("pipeline: where some process may have called an operation unseen it is at least") {
  Run run;
  run.states.unseen(1, {kStart + 100 * kMs, kStart + 200 * kMs});
  run.source.put(0, reference_chain());
  run.pipeline.stop(kStart + 1000 * kMs);
  const snapshot::Snapshot all = run.snapshot(), later = run.snapshot(0.5);
  CHECK_FALSE(all.components[0].figures.at_least);
  CHECK(all.components[1].figures.at_least);
  CHECK_FALSE(all.components[1].figures.observed_share);  // its probes were there
  CHECK_FALSE(later.components[1].figures.at_least);
}

TEST_CASE("pipeline: once it has stopped every reader gets the same checkpoint, of the end") {
  Run run;
  run.source.put(0, reference_chain());
  run.pipeline.stop(kStart + 2000 * kMs);
  const pipeline::SharedCheckpoint first = run.pipeline.checkpoint();
  CHECK(first->as_of_ns == kStart + 2000 * kMs);
  CHECK(first == run.pipeline.checkpoint());
}

TEST_CASE("pipeline: a checkpoint that somebody keeps does not change when there is a newer one") {
  Run run;
  const pipeline::SharedCheckpoint before = run.pipeline.checkpoint();
  run.source.put(0, reference_chain());
  run.pipeline.stop(kStart + 2000 * kMs);
  CHECK(before->operations[0].calls == 0);
  CHECK(run.pipeline.checkpoint()->operations[0].calls == 1);
}

TEST_CASE("pipeline: calls alone are those of a checkpoint, before, while and after it runs") {
  ListSource source;
  Worker worker = *Worker::start("cannot test");
  pipeline::Pipeline pipeline(source, options());
  CHECK(pipeline.counts().calls == std::vector<uint64_t>{0, 0, 0});
  pipeline.start(worker);
  source.put(0, {at(0, EventKind::kEntry, 0, 900), at(1, EventKind::kEntry, 2, 800),
                 at(2, EventKind::kExit, 2, 800), at(3, EventKind::kEntry, 2, 800)});
  pipeline.begin_change(kStart + 4 * kMs, {});
  pipeline.end_change();  // takes in all of it
  CHECK(pipeline.counts().calls == std::vector<uint64_t>{1, 0, 2});
  const pipeline::SharedCheckpoint now = pipeline.checkpoint();
  for (size_t i = 0; i < 3; ++i) CHECK(now->operations[i].calls == pipeline.counts().calls[i]);
  pipeline.stop(kStart + 5 * kMs);
  CHECK(pipeline.counts().calls == std::vector<uint64_t>{1, 0, 2});
}

TEST_CASE("pipeline: who waits for an answer while it stops gets one") {
  for (int round = 0; round < 200; ++round) {
    ListSource source;
    Worker worker = *Worker::start("cannot test");
    pipeline::Pipeline pipeline(source, options());
    pipeline.start(worker);
    std::atomic<bool> asks = false;
    std::thread reader([&] {
      while (pipeline.checkpoint()->as_of_ns != kStart) {
        pipeline.counts();
        pipeline.end_change();
        asks = true;
      }
    });
    while (!asks) std::this_thread::yield();
    pipeline.stop(kStart);
    reader.join();
  }
}
