// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <functional>
#include <utility>

#include "present/snapshot_builder.h"
#include "sampled_run.h"

using namespace compmond;
using namespace compmond::present::test;

namespace {

constexpr uint64_t kSecond = 1000 * kMs, kAway = 40 * kMs, kNow = 20 * kSecond + kAway;
constexpr double kCalls = 20'000;  // per call of an input

// Busy from 40 ms on, for 20 s in which slices of 50 ms have seen all operations: of 1,000 inputs a
// second each makes fa call fb once and fc twice, and fc fb three times. fb takes 2 ms, in the last
// slice also one call that is cut off. What of the operations is away is to be said.
struct SlicedRun : BusyRun {
  explicit SlicedRun(const std::vector<size_t>& away, uint64_t slices = 40) {
    states = plan::OperationStates(plan);
    for (const size_t i : away) states.pause(i, kAway, "too dear");
    states.busy().spans = {{kAway, UINT64_MAX}};
    checkpoint.as_of_ns = kNow;
    counts.inputs().begin(kAway);
    for (uint64_t i = 0; i < 200; ++i) {
      counts::Inputs inputs;
      inputs.descriptor[3] = inputs.size[12] = 100;
      counts.inputs().add(kAway + (i + 1) * 100 * kMs, {.inputs = inputs});
    }
    for (uint64_t i = 0; i < slices; ++i) add_slice(kAway + i * 500 * kMs, i % 2 ? 1.2 : 1.8);
  }
  void add_slice(uint64_t start_ns, double slow_down) {
    counts.add(slice_at(start_ns, slow_down));
    singles.add({.slice = {start_ns, start_ns + 50 * kMs},
                 .slow_down = slow_down,
                 .singles = {{.operation = 1, .start_ns = start_ns, .duration_ns = 2 * kMs}},
                 .edges = {{1, {.cut = 1, .orphans = 2}}}});
  }
  static counts::Slice slice_at(uint64_t start_ns, double slow_down) {
    counts::Slice slice;
    slice.start_ns = start_ns;
    slice.end_ns = start_ns + 50 * kMs;
    slice.slow_down = slow_down;
    slice.attached = {true, true, true};
    for (const bool first : {false, true})
      for (const bool complete : {false, true}) {
        const counts::Cell cell{.stratum = {3, 12}, .first = first, .complete = complete};
        const uint32_t inputs = complete ? 19 : 1;
        slice.inputs[cell] = slice.calls[0][cell] = inputs;
        slice.calls[1][cell] = 4 * inputs;
        slice.calls[2][cell] = 2 * inputs;
        slice.edges[{0, 1}][cell] = inputs;
        slice.edges[{0, 2}][cell] = 2 * inputs;
        slice.edges[{2, 1}][cell] = 3 * inputs;
      }
    return slice;
  }
  // In which none of these was called.
  void add_empty_slice(uint64_t start_ns, std::vector<bool> attached) {
    counts::Slice slice;
    slice.start_ns = start_ns;
    slice.end_ns = start_ns + 50 * kMs;
    slice.attached = std::move(attached);
    counts.add(slice);
  }
  snapshot::Snapshot look(Window window = {0, kNow}) const {
    present::RunParts parts = this->parts();
    parts.ended = true;
    parts.samples.emplace(present::RunSamples{*samples, 200});
    parts.slices.emplace(present::RunSlices{counts, singles, too_hot, was_hot_ns, stopped});
    return present::build_snapshot(parts, {window, "overall"});
  }

  counts::SliceStore counts;
  singles::SingleStore singles;
  std::vector<bool> too_hot;         // per operation
  std::vector<uint64_t> was_hot_ns;  // per operation, until then
  bool stopped = false;
};

// With fc a part of A/B, so that A calls that by two of its operations; samples of the first 100 ms
// met both calls. Slices are changed as is said.
struct EdgesRun : SlicedRun {
  explicit EdgesRun(const std::function<void(counts::Slice&)>& change) : SlicedRun({0, 1, 2}, 0) {
    plan.operations[2].component = 1;
    for (uint64_t i = 0; i < 40; ++i) {
      counts::Slice slice = slice_at(kAway + i * 500 * kMs, i % 2 ? 1.2 : 1.8);
      change(slice);
      counts.add(slice);
    }
  }
};

// From there (null: outside) to there; a failed test where there is none, or several.
const snapshot::Edge& edge(const snapshot::Snapshot& of, const char* from, const char* to) {
  std::vector<const snapshot::Edge*> found;
  for (const snapshot::Edge& edge : of.edges)
    if (edge.to == to && (from ? edge.from == from : !edge.from)) found.push_back(&edge);
  REQUIRE(found.size() == 1);
  return *found[0];
}

std::string busy_line(const SlicedRun& run) {
  const auto notes = run.look({kAway, kNow}).health.notes;
  REQUIRE(!notes.empty());
  return notes.front();
}

}  // namespace

TEST_CASE("sliced: an edge has the calls that slices tell, and those of when nothing was away") {
  const SlicedRun run({0, 1, 2});
  const snapshot::Edge busy = edge(run.look({kAway, kNow}), "A", "A/B");
  REQUIRE(busy.estimated);
  REQUIRE(busy.estimated->calls);
  CHECK(busy.estimated->calls->value == doctest::Approx(kCalls).epsilon(0.01));
  CHECK(busy.estimated->calls->low < kCalls);
  CHECK(busy.estimated->calls->high > kCalls);
  CHECK(busy.estimated->raw_ns);  // by samples
  CHECK_FALSE(busy.not_extrapolated);
  const snapshot::Edge all = edge(run.look(), "A", "A/B");
  CHECK(all.estimated->calls->value == doctest::Approx(busy.estimated->calls->value + 1));
}

TEST_CASE("sliced: an edge that no sample has met is there, with calls alone") {
  const snapshot::Edge edge = ::edge(SlicedRun({0, 1, 2}).look(), "C", "A/B");
  CHECK_FALSE(edge.seen);
  REQUIRE(edge.estimated);
  CHECK_FALSE(edge.estimated->raw_ns);
  REQUIRE(edge.estimated->calls);
  CHECK(edge.estimated->calls->value == doctest::Approx(3 * kCalls).epsilon(0.01));
}

TEST_CASE("sliced: edges of two operations are one of their component, whose errors add up") {
  SlicedRun run({0, 1, 2});
  const auto calls = [&](const char* to) {
    const auto told = edge(run.look({kAway, kNow}), "A", to).estimated->calls;
    REQUIRE(told);
    return *told;
  };
  const snapshot::CallsEstimate b = calls("A/B"), c = calls("C");
  run.plan.operations[2].component = 1;
  const snapshot::CallsEstimate both = calls("A/B");
  CHECK(both.value == doctest::Approx(b.value + c.value));
  CHECK(both.high - both.low == doctest::Approx(b.high - b.low + c.high - c.low));
  for (const snapshot::Edge& edge : run.look().edges) CHECK(edge.from != edge.to);
}

TEST_CASE("sliced: a slice has as many operations as it observed, also after edges were counted") {
  const SlicedRun run({0, 1, 2});
  run.look();
  const auto slices = run.look().health.slices;
  REQUIRE(slices.size() == 40);
  for (const snapshot::Health::Slice& slice : slices) CHECK(slice.operations == 3);
}

TEST_CASE("sliced: an edge that is not told says why") {
  const snapshot::Edge edge = ::edge(SlicedRun({0, 1, 2}, 5).look(), "A", "A/B");
  CHECK_FALSE(edge.estimated->calls);
  CHECK(edge.not_extrapolated == "fb: 5 of 6 slices so far");
}

TEST_CASE("sliced: an edge of which a part is known and was not counted says why") {
  const EdgesRun run([](counts::Slice& slice) {  // fc is too hot for more than its entries
    slice.seen = {true, true, false};
    slice.edges.erase({0, 2});
    slice.edges.erase({2, 1});
  });
  const snapshot::Edge edge = ::edge(run.look({kAway, kNow}), "A", "A/B");
  CHECK_FALSE(edge.estimated->calls);
  CHECK(edge.not_extrapolated == "fc: slices see its entries alone");
}

TEST_CASE(
    "sliced: an edge whose callee has a caller that no slice has says whose calls are missing") {
  EdgesRun run([](counts::Slice& slice) { slice.seen = {true, true, false}; });
  run.sample(90 * kMs - 1, {2, 3});
  run.stretch(100, 110, true, 10);
  run.states.refuse(2, "inlined");
  CHECK(edge(run.look({kAway, kNow}), "A", "A/B").not_extrapolated == "fc: no probe sees it");
}

TEST_CASE("sliced: an edge has its figure although a pair was called hardly ever, or before") {
  const EdgesRun rare([](counts::Slice& slice) {
    auto& cells = slice.edges[{0, 2}];
    for (auto& [cell, calls] : cells) calls = 0;
    if (slice.start_ns == kAway) cells[cells.begin()->first] = 3;
  });
  const auto calls = edge(rare.look({kAway, kNow}), "A", "A/B").estimated->calls;
  REQUIRE(calls);
  CHECK(calls->value == doctest::Approx(kCalls).epsilon(0.01));
  const EdgesRun before([](counts::Slice& slice) {
    slice.attached = slice.seen = {true, true, false};
    slice.calls.erase(2);
    slice.edges.erase({0, 2});
    slice.edges.erase({2, 1});
  });
  CHECK(edge(before.look({kSecond, kNow}), "A", "A/B").estimated->calls);  // samples were before
  CHECK(edge(before.look({kAway, kNow}), "A", "A/B").not_extrapolated ==
        "fc: 0 of 6 slices so far");
}

TEST_CASE("sliced: an edge of more than slices count is not told in part") {
  SlicedRun run({0, 1, 2}, 0);
  run.plan.operations[2].component = 1;
  constexpr size_t kOthers = 127;  // with fb as many as are counted
  for (size_t i = 0; i < kOthers; ++i) {
    run.plan.operations.push_back(run.plan.operations[0]);
    run.plan.operations.back().component = 2;
  }
  run.states = plan::OperationStates(run.plan);
  for (size_t i = 0; i < 3 + kOthers; ++i) run.states.pause(i, kAway, "too dear");
  run.states.busy().spans = {{kAway, UINT64_MAX}};
  run.samples.emplace(present::estimate_model_of(run.spec, run.plan));
  run.stretch(0, 100, true, 100);
  for (uint64_t i = 0; i < 40; ++i) {
    counts::Slice slice = SlicedRun::slice_at(kAway + i * 500 * kMs, i % 2 ? 1.2 : 1.8);
    slice.attached.resize(3 + kOthers, true);
    slice.edges.erase({2, 1});
    std::swap(slice.edges[{0, 1}], slice.edges[{0, 2}]);
    for (uint32_t other = 3; other < 3 + kOthers; ++other)
      slice.edges[{0, other}] = slice.calls[other] = slice.calls[1];
    run.counts.add(slice);
  }
  CHECK(edge(run.look({kAway, kNow}), "A", "A/B").not_extrapolated ==
        "fc: one of more connections than slices count");
}

TEST_CASE("sliced: an edge from what runs longer than slices says that they do not see it") {
  const EdgesRun run([](counts::Slice& slice) {
    slice.calls.erase(0);
    slice.edges.clear();
  });
  CHECK(edge(run.look({kAway, kNow}), "A", "A/B").not_extrapolated ==
        "fa: runs longer than slices, which do not see what it calls");
}

TEST_CASE("sliced: before the first slice an edge that samples met says so, others are not there") {
  const SlicedRun run({0, 1, 2}, 0);
  CHECK(edge(run.look({kAway, kNow}), "A", "A/B").not_extrapolated == "fb: 0 of 6 slices so far");
  CHECK(run.look({kSecond, kNow}).edges.empty());
}

TEST_CASE("sliced: an edge from outside says why its calls are not told") {
  const EdgesRun run([](counts::Slice&) {});
  CHECK(edge(run.look({kAway, kNow}), nullptr, "A").not_extrapolated ==
        "slices do not tell calls from outside");
}

TEST_CASE("sliced: where no slices come nobody waits for them") {
  SlicedRun run({0, 1, 2}, 5);
  run.stopped = true;
  CHECK(edge(run.look(), "A", "A/B").not_extrapolated ==
        "fb: no slices are made just now: see the notes");
  const snapshot::Figures figures = run.look().components[0].operations[0].figures;
  CHECK(figures.not_extrapolated == "no slices are made just now: see the notes");
  SlicedRun enough({0, 1, 2});
  enough.stopped = true;
  CHECK(edge(enough.look(), "A", "A/B").estimated->calls);
}

TEST_CASE("sliced: calls of what is too hot for any slice are not waited for either") {
  SlicedRun run({0, 1, 2}, 5);
  run.too_hot = {false, false, true};
  const auto why = edge(run.look(), "A", "C").not_extrapolated;
  REQUIRE(why);
  CHECK(why->starts_with("fc: too hot to slice"));
  CHECK(edge(run.look(), "A", "A/B").not_extrapolated == "fb: 5 of 6 slices so far");
}

TEST_CASE("sliced: what was too hot before it cooled down is told of the time since") {
  SlicedRun run({0, 1, 2});
  run.was_hot_ns = {0, 0, kAway + kSecond};
  const auto hot = [&](Window window) {
    return run.look(window).components[2].operations[0].figures;
  };
  CHECK_FALSE(snapshot::estimated_calls(hot({kAway, kNow})));
  CHECK(hot({kAway, kNow}).not_extrapolated ==
        "was too hot to slice in a part of the window, and called far more often then");
  CHECK(snapshot::estimated_calls(hot({kAway + 2 * kSecond, kNow})));
  CHECK(edge(run.look({kAway, kNow}), "A", "C").not_extrapolated);
  CHECK(edge(run.look({kAway, kNow}), "C", "A/B").not_extrapolated);
  CHECK(edge(run.look({kAway, kNow}), "A", "A/B").estimated->calls);
}

TEST_CASE("sliced: where no count is told the line of a busy run says why, by kind of reason") {
  SlicedRun run({0, 1, 2}, 0);
  for (uint64_t i = 0; i < 30; ++i) run.add_slice(kAway + i * 500 * kMs, 3);
  CHECK(busy_line(run).starts_with(
      "busy: time from samples; calls not told (3 slowed too much by slices). Exact: "));
  SlicedRun idle({0, 1, 2}, 0);
  for (uint64_t i = 0; i < 13; ++i)
    idle.add_empty_slice(kAway + i * 500 * kMs, {i > 0, true, true});
  CHECK(tells(busy_line(idle), "; calls not told (3 not seen). "));
}

TEST_CASE("sliced: the line of a busy run says how many slices there are where most lack some") {
  SlicedRun run({0, 1, 2}, 3);
  CHECK(tells(busy_line(run), "; calls: 3 of 6 slices so far. "));
  run.too_hot = {true};
  CHECK(tells(busy_line(run), "; calls: 3 of 6 slices so far. "));
  run.too_hot = {true, true};
  CHECK(
      tells(busy_line(run), "; calls not told (1 in too few slices so far, 2 too hot to slice). "));
  SlicedRun first({0, 1, 2}, 0);
  first.add_empty_slice(kAway, {});
  CHECK(tells(busy_line(first), "; calls: 0 of 6 slices so far. "));
}

TEST_CASE("sliced: beside calls that are told the line of a busy run says why others are not") {
  SlicedRun run({0, 1, 2});
  for (uint64_t i = 0; i < 40; ++i)
    run.add_empty_slice(kAway + i * 500 * kMs + 100 * kMs, {false, false, false, true});
  plan::PlannedOperation idle = run.plan.operations[2];
  idle.name = idle.symbol = "idle";
  run.plan.operations.push_back(idle);
  run.states = plan::OperationStates(run.plan);
  for (size_t i = 0; i < 4; ++i) run.states.pause(i, kAway, "too dear");
  run.states.busy().spans = {{kAway, UINT64_MAX}};
  CHECK(tells(busy_line(run), " for 3; 1 not seen). "));
}

TEST_CASE("sliced: a window in which nothing was away has neither") {
  const snapshot::Snapshot before = SlicedRun({0, 1, 2}).look({0, kAway});
  for (const snapshot::Edge& edge : before.edges) {
    CHECK(edge.seen);
    CHECK_FALSE(edge.not_extrapolated);
  }
  CHECK_FALSE(before.components[1].figures.sliced);
}

TEST_CASE("sliced: times of single calls of what was away are those that slices saw") {
  const snapshot::Snapshot s = SlicedRun({1}).look();
  for (const snapshot::Figures* f :
       {&s.components[1].figures, &s.components[1].operations[0].figures}) {
    REQUIRE(f->sliced);
    CHECK(f->sliced->seen == 40);
    CHECK(f->sliced->slow_down == doctest::Approx(1.5));
    CHECK(f->sliced->uncertain_from_ns == 50 * kMs / 4);
    CHECK(f->sliced->orphans == 80);
    CHECK(f->closed.cut == 40);
    for (const uint64_t ns : {f->mean_ns, f->min_ns, f->max_ns, f->p50_ns, f->p90_ns, f->p99_ns})
      CHECK(ns == 2 * kMs);
    CHECK(f->evidence->single == snapshot::EvidenceKind::kSlices);
  }
  CHECK_FALSE(s.components[0].figures.sliced);
  CHECK(s.components[0].figures.max_ns == 50 * kMs);
}

TEST_CASE("sliced: a component of which an operation was not away has the times of its probes") {
  SlicedRun run({1});
  run.plan.operations[2].component = 1;
  const snapshot::Component both = run.look().components[1];
  CHECK(both.operations[0].figures.sliced);
  CHECK_FALSE(both.operations[1].figures.sliced);
  CHECK_FALSE(both.figures.sliced);
  CHECK(both.figures.closed.cut == 0);
}

TEST_CASE(
    "sliced: a component has times of its operations that are timed, whatever others it has") {
  for (const bool refused : {false, true}) {
    SlicedRun run({1});
    run.plan.operations[2].component = 1;
    if (refused)
      run.states.refuse(2, "inlined");
    else
      run.plan.operations[2].ways[0].exit = spec::ExitMode::kEntryOnly;
    const snapshot::Component both = run.look().components[1];
    CHECK(both.operations[0].figures.sliced);
    CHECK_FALSE(both.operations[1].figures.sliced);
    REQUIRE(both.figures.sliced);
    CHECK(both.figures.sliced->seen == 40);
  }
}

TEST_CASE("sliced: what came back for most of the window is told as well") {
  SlicedRun run({0, 1, 2});
  run.states.come_back(2, kAway + 5 * kSecond, "back");
  const snapshot::Snapshot of = run.look({kAway, kNow});
  const snapshot::Figures& figures = of.components[2].operations[0].figures;
  REQUIRE(figures.estimated);
  REQUIRE(figures.estimated->calls);
  CHECK(figures.estimated->calls->value == doctest::Approx(kCalls / 2).epsilon(0.01));
  CHECK(of.components[2].figures.estimated->calls);
}

TEST_CASE("sliced: single executions are those that probes saw where these were there for longer") {
  SlicedRun run({0, 1, 2});
  CHECK(run.look({kAway, kNow}).components[1].operations[0].figures.sliced);
  run.states.come_back(1, kAway + 5 * kSecond, "back");
  const snapshot::Snapshot of = run.look({kAway, kNow});
  CHECK_FALSE(of.components[1].operations[0].figures.sliced);
  CHECK_FALSE(of.components[1].figures.sliced);
}
