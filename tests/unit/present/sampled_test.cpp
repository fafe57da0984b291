// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "estimate/sample_store.h"
#include "present/estimated.h"
#include "present/known.h"
#include "small_run.h"

using namespace compmond;
using namespace compmond::present::test;
using snapshot::Estimated;

namespace {

// The small run, of whose operations some are known by samples alone: fc was on a CPU in the second
// half of its 100 ms, fa in the first.
struct SampledRun : Run {
  explicit SampledRun(const std::vector<size_t>& sampled) {
    plan.images.push_back({0, "/main", true, nullptr, 8, 100});
    for (plan::PlannedOperation& op : plan.operations) op.image = 0;
    for (const size_t i : sampled) plan.operations[i].ways[0].code = {{256 * (i + 1), 256}};
    states = plan::OperationStates(plan);
    samples.emplace(present::estimate_model_of(spec, plan));
    samples->on_image({sampling::kFirstFile, "/main", 8, 100, ""});
    for (uint64_t i = 0; i < 20; ++i) sample((i + 1) * 5 * kMs - 1, {i < 10 ? 1u : 3u});
    stretch(0, 100, true, 100);
  }
  // Goes on to 150 ms, of which the samples were taken, but their stretch was not told.
  void run_on() {
    for (uint64_t time = 104; time < 150; time += 5) sample(time * kMs, {3});
    checkpoint.as_of_ns = 150 * kMs;
  }
  Result<snapshot::View> ask(const snapshot::ViewRequest& request, bool ended = false) const {
    present::RunParts parts = this->parts();
    parts.ended = ended;
    parts.samples.emplace(present::RunSamples{*samples, 200});
    return answer_view(parts, request, {}, analyst);
  }
  snapshot::Snapshot look(const snapshot::TimeWindow& window, bool ended = false) const {
    snapshot::ViewRequest request;
    request.window = window;
    auto view = ask(request, ended);
    REQUIRE(view);
    return std::move(*view->snapshot);
  }
  // Of the functions on the stack, 1 to 3, innermost first.
  void sample(uint64_t time_ns, std::initializer_list<uint64_t> stack, uint64_t off_ns = 0,
              sampling::Ended ended = sampling::Ended::kComplete) {
    sampling::Sample sample;
    sample.ended = ended;
    sample.kind = off_ns ? sampling::Sample::Kind::kOffCpu : sampling::Sample::Kind::kOnCpu;
    sample.pid = 10;
    sample.tid = 11;
    sample.time_ns = time_ns;
    sample.off_ns = sample.weight_ns = off_ns;
    std::vector<sampling::Frame> frames;
    for (const uint64_t function : stack)
      frames.push_back({sampling::kFirstFile, 256 * function + 4});
    sample.frames = frames;
    samples->on_sample(sample);
  }
  void stretch(uint64_t start_ms, uint64_t end_ms, bool off_cpu, uint64_t cpu_ms) {
    sampling::Stretch stretch;
    stretch.start_ns = start_ms * kMs;
    stretch.end_ns = end_ms * kMs;
    stretch.hz = 200;
    stretch.off_cpu = off_cpu;
    stretch.processes = {{10, cpu_ms * kMs}};
    samples->on_stretch(stretch);
  }
  std::vector<std::vector<uint64_t>> strip_ms(uint32_t columns) const {
    snapshot::ViewRequest request;
    request.strip.emplace().columns = columns;
    const auto view = ask(request);
    REQUIRE(view);
    auto rows = view->strip->real_ns;
    for (auto& row : rows)
      for (uint64_t& ns : row) ns = (ns + kMs / 2) / kMs;
    return rows;
  }

  std::optional<estimate::SampleStore> samples;
};

// Probes see all its operations, but those of fb were too dear from 40 to 80 ms.
struct BusyRun : SampledRun {
  BusyRun() : SampledRun(std::vector<size_t>{}) {
    for (size_t i = 0; i < 3; ++i) {
      plan.operations[i].ways.resize(2);
      plan.operations[i].ways[1].code = {{256 * (i + 1), 256}};
    }
    states = plan::OperationStates(plan);
    states.pause(1, 40 * kMs, "too dear");
    states.come_back(1, 80 * kMs, "back");
    samples.emplace(present::estimate_model_of(spec, plan));
    samples->on_image({sampling::kFirstFile, "/main", 8, 100, ""});
    for (uint64_t i = 0; i < 20; ++i) sample((i + 1) * 5 * kMs - 1, {i < 10 ? 2u : 3u, 1u});
    stretch(0, 100, true, 100);
  }
};

double on_cpu_ms(const snapshot::Snapshot& s) {
  double sum = 0;
  for (const snapshot::Component& c : s.components) sum += c.figures.estimated->cpu_ns->value_ns;
  return sum / double(kMs);
}

using Ms = std::pair<uint64_t, uint64_t>;
Ms in_ms(const Window& ns) { return {ns.start_ns / kMs, ns.end_ns / kMs}; }
Ms window_ms(const snapshot::Snapshot& s) { return in_ms({s.window_start_ns, s.window_end_ns}); }

using Rows = std::vector<std::vector<uint64_t>>;

}  // namespace

TEST_CASE("sampled: the strip of a run without probes shows where its samples were") {
  CHECK(SampledRun({0, 1, 2}).strip_ms(4) == Rows{{25, 25, 0, 0}, {0, 0, 0, 0}, {0, 0, 25, 25}});
}

TEST_CASE("sampled: components that probes see keep what these saw in the strip") {
  const Rows seen = SampledRun({}).strip_ms(4);
  const Rows mixed = SampledRun({2}).strip_ms(4);
  CHECK(mixed[0] == seen[0]);
  CHECK(mixed[1] == seen[1]);
  CHECK(seen[2] == std::vector<uint64_t>{0, 0, 5, 25});
  CHECK(mixed[2] == std::vector<uint64_t>{0, 0, 25, 25});
}

TEST_CASE("sampled: which components rest on samples is a matter of their operations' ways") {
  const SampledRun run({0, 2});
  CHECK(present::sampled_components(run.parts()) == std::vector<bool>(3));  // it takes none
  present::RunParts parts = run.parts();
  parts.samples.emplace(present::RunSamples{*run.samples, 200});
  CHECK(present::sampled_components(parts) == std::vector<bool>{true, false, true});
}

TEST_CASE("sampled: a window that follows ends where samples are known, and keeps its length") {
  SampledRun run({0, 1, 2});
  run.run_on();
  const snapshot::Snapshot last = run.look({0.06, 0, 0}), whole = run.look({});
  CHECK(window_ms(last) == Ms{40, 100});
  CHECK(on_cpu_ms(last) == doctest::Approx(60));
  CHECK(window_ms(whole) == Ms{0, 100});
  CHECK(on_cpu_ms(whole) == doctest::Approx(100));
  for (const snapshot::Snapshot& s : {last, whole}) {
    CHECK(s.now_ns == 150 * kMs);
    CHECK(s.health.samples->known_until_ns == 100 * kMs);
    CHECK(samples_behind_ns(s) == 50 * kMs);
    CHECK(in_ms(known_window(s)) == window_ms(s));
  }
}

TEST_CASE("sampled: of a window with an end of its own the part that is not known yet is told") {
  SampledRun run({0, 1, 2});
  run.run_on();
  const snapshot::Snapshot later = run.look({0, 60 * kMs, 140 * kMs});
  CHECK(window_ms(later) == Ms{60, 140});
  CHECK(in_ms(known_window(later)) == Ms{60, 100});
  CHECK(samples_behind_ns(later) == 50 * kMs);
  CHECK(on_cpu_ms(later) == doctest::Approx(40));
  const snapshot::Snapshot unknown = run.look({0, 110 * kMs, 140 * kMs});
  CHECK(known_window(unknown).length() == 0);
  const snapshot::Snapshot known = run.look({0, 20 * kMs, 80 * kMs});
  CHECK(samples_behind_ns(known) == 0);
  CHECK(in_ms(known_window(known)) == Ms{20, 80});
}

TEST_CASE("sampled: a run that has ended is known to its end") {
  SampledRun run({0, 1, 2});
  run.checkpoint.as_of_ns = 101 * kMs;  // what ends it took a moment
  const snapshot::Snapshot last = run.look({0.06, 0, 0}, true);
  CHECK(window_ms(last) == Ms{41, 101});
  CHECK(last.health.samples->known_until_ns == last.now_ns);
  CHECK(samples_behind_ns(last) == 0);
}

TEST_CASE("sampled: samples move no window in which no component rests on them") {
  SampledRun exact({}), mixed({2});
  exact.run_on();
  mixed.run_on();
  const snapshot::Snapshot seen = exact.look({0.06, 0, 0});
  CHECK(window_ms(seen) == Ms{90, 150});
  CHECK(seen.health.samples->known_until_ns == 100 * kMs);
  CHECK(samples_behind_ns(seen) == 0);
  CHECK(window_ms(mixed.look({0.06, 0, 0})) == Ms{40, 100});
}

TEST_CASE("sampled: before the first stretch is told the window is as asked for, and not known") {
  SampledRun run({0, 1, 2});
  run.samples.emplace(present::estimate_model_of(run.spec, run.plan));
  run.checkpoint.start_ns = kMs;
  run.run_on();
  const snapshot::Snapshot s = run.look({0.06, 0, 0});
  CHECK(window_ms(s) == Ms{90, 150});
  CHECK(s.health.samples->known_until_ns == s.start_ns);
  CHECK(known_window(s).length() == 0);
}

TEST_CASE("sampled: what was waited while waiting was not sampled is marked at all it is part of") {
  SampledRun run({0, 1, 2});
  for (uint64_t time = 10; time < 100; time += 10) run.sample(100 * kMs + time * kMs, {3}, 5 * kMs);
  run.stretch(100, 200, true, 50);
  run.checkpoint.as_of_ns = 200 * kMs;
  const auto marks = [&] {
    const snapshot::Snapshot s = run.look({});
    const snapshot::Estimated &part = *s.components[2].figures.estimated,
                              &thread = *s.threads.front().estimated;
    CHECK_FALSE(at_least(part, &Estimated::cpu_ns));
    CHECK(at_least(thread, &Estimated::waiting_ns) == at_least(part, &Estimated::waiting_ns));
    return std::vector<bool>{part.waiting_ns->at_least, part.net_real_ns->at_least,
                             part.raw_ns->at_least};
  };
  CHECK(marks() == std::vector<bool>{false, false, false});
  run.stretch(200, 300, false, 50);
  run.checkpoint.as_of_ns = 300 * kMs;
  CHECK(run.look({}).health.samples->off_cpu_share == doctest::Approx(2.0 / 3));
  CHECK(marks() == std::vector<bool>{true, true, true});
}

TEST_CASE("sampled: beside probes times are marked where stacks broke before any operation") {
  SampledRun run({});
  run.plan.operations[2].ways.emplace_back().code = {{256 * 3, 256}};  // its probe refused
  run.samples.emplace(present::estimate_model_of(run.spec, run.plan));
  run.samples->on_image({sampling::kFirstFile, "/main", 8, 100, ""});
  const auto take = [&](uint64_t from_ms, bool placed) {
    for (uint64_t i = 0; i < 20; ++i)
      run.sample((from_ms + i * 5) * kMs, {placed ? 3u : 9u}, 0,
                 i % 2 && !placed ? sampling::Ended::kBroken : sampling::Ended::kComplete);
    run.stretch(from_ms, from_ms + 100, true, 100);
    run.checkpoint.as_of_ns = (from_ms + 100) * kMs;
    return *run.look({}).components[2].figures.estimated;
  };
  CHECK_FALSE(take(0, true).cpu_ns->at_least);
  const snapshot::Estimated marked = take(100, false);
  CHECK(marked.cpu_ns->at_least);
  CHECK_FALSE(marked.waiting_ns->at_least);
}

TEST_CASE("sampled: own times tell how many samples they rest on, apart from raw time") {
  SampledRun run({0, 1, 2});
  for (uint64_t time = 102; time < 200; time += 5) run.sample(time * kMs, {3, 2});
  run.sample(199 * kMs, {2});
  run.stretch(100, 200, true, 100);
  run.checkpoint.as_of_ns = 200 * kMs;
  const snapshot::Snapshot s = run.look({});
  const snapshot::Estimated &caller = *s.components[1].figures.estimated,
                            &callee = *s.components[2].figures.estimated;
  CHECK(caller.samples == 21);
  CHECK(caller.own_samples == 1);
  CHECK_FALSE(only_bound(caller, &snapshot::Estimated::raw_ns));
  for (const auto own : {&snapshot::Estimated::net_real_ns, &snapshot::Estimated::cpu_ns})
    CHECK(only_bound(caller, own));
  CHECK(callee.own_samples == 30);
  CHECK_FALSE(only_bound(callee, &snapshot::Estimated::net_real_ns));
}

namespace {

// Whether some component is shown as one whose probes were away for a part of the window.
bool tells_of_absence(const snapshot::Snapshot& s) {
  return std::ranges::any_of(s.components, [](const snapshot::Component& c) {
    return c.figures.observed_share && seen_in_part(c.figures);
  });
}

}  // namespace

TEST_CASE("busy: where probes were away samples tell the times of all and calls are those seen") {
  const snapshot::Snapshot s = BusyRun().look({});
  REQUIRE(tells_of_absence(s));
  CHECK_FALSE(knows_no_calls(s));
  const snapshot::Figures &a = s.components[0].figures, &b = s.components[1].figures,
                          &c = s.components[2].figures;
  CHECK(shown_real_ns(b) == doctest::Approx(50 * kMs));
  CHECK(shown_real_ns(c) == doctest::Approx(50 * kMs));
  CHECK(b.hotness == doctest::Approx(100));
  CHECK(c.hotness == doctest::Approx(100));
  CHECK(a.hotness == 0);
  CHECK(b.at_least);
  CHECK(b.calls == 1);
  CHECK(b.observed_share == doctest::Approx(0.6));
  CHECK(b.estimated->raw_ns->value_ns == doctest::Approx(50 * kMs));
  CHECK(b.evidence->raw == snapshot::EvidenceKind::kSamples);
  CHECK(b.evidence->calls == snapshot::EvidenceKind::kProbes);
  CHECK_FALSE(c.observed_share);
  CHECK(s.components[1].operations[0].figures.observed_share == doctest::Approx(0.6));
  CHECK(s.components[0].subtree.estimated->net_real_ns->value_ns == doctest::Approx(50 * kMs));
}

TEST_CASE("busy: probes of a component were there when those of all its operations were") {
  BusyRun run;  // its second operation is away from 40 to 80 ms
  run.plan.operations[2].component = 1;
  run.states.pause(2, 0, "too dear");
  run.states.come_back(2, 40 * kMs, "back");
  run.states.pause(2, 70 * kMs, "too dear");
  const snapshot::Snapshot s = run.look({0, 0, 100 * kMs});
  const snapshot::Component& both = s.components[1];
  REQUIRE(both.operations.size() == 2);
  CHECK(both.operations[0].figures.observed_share == doctest::Approx(0.6));
  CHECK(both.operations[1].figures.observed_share == doctest::Approx(0.3));
  CHECK(both.figures.observed_share == doctest::Approx(0));
  CHECK_FALSE(s.components[0].figures.observed_share);
  REQUIRE_FALSE(s.health.notes.empty());
  CHECK(s.health.notes.front().find("2 of 3 operations from 0 % of the time") != std::string::npos);
}

TEST_CASE("busy: raw times of what was never away stay exact unless records were lost") {
  BusyRun run;
  snapshot::Snapshot s = run.look({0, 0, 60 * kMs});
  CHECK_FALSE(s.components[0].figures.at_least);
  CHECK_FALSE(s.components[0].figures.estimated->raw_ns);
  CHECK(s.components[0].figures.raw_ns == 50 * kMs);
  CHECK(s.components[0].figures.evidence->raw == snapshot::EvidenceKind::kProbes);
  CHECK(s.components[0].figures.evidence->real == snapshot::EvidenceKind::kSamples);
  s = run.look({});  // of 80 ms nine are missing
  CHECK(s.components[0].figures.estimated->raw_ns->value_ns == doctest::Approx(100 * kMs));
}

TEST_CASE("busy: who calls whom is told by stacks for the callers of what was away are gone") {
  const snapshot::Snapshot s = BusyRun().look({});
  std::string edges;
  for (const snapshot::Edge& e : s.edges) {
    CHECK_FALSE(e.seen);
    edges += e.from.value_or("outside") + " > " + e.to + "\n";
  }
  CHECK(edges == "A > A/B\nA > C\noutside > A\n");
}

TEST_CASE("busy: a window before the probes went is exact and so is one after they came back") {
  const BusyRun run;
  for (const auto& [from, to] : {Ms{0, 40}, Ms{80, 100}}) {
    const snapshot::Snapshot s = run.look({0, from * kMs, to * kMs});
    CHECK_FALSE(tells_of_absence(s));
    CHECK_FALSE(rests_on_samples(s));
    CHECK_FALSE(s.components[1].figures.observed_share);
  }
  CHECK(tells_of_absence(run.look({0, 0, 41 * kMs})));
  CHECK(tells_of_absence(run.look({0, 79 * kMs, 100 * kMs})));
}

TEST_CASE("busy: a window that follows ends where samples are known while probes are away") {
  BusyRun run;
  run.run_on();
  CHECK(window_ms(run.look({0.06, 0, 0})) == Ms{90, 150});
  run.states.pause(1, 120 * kMs, "too dear");
  CHECK(window_ms(run.look({0.06, 0, 0})) == Ms{40, 100});
}

TEST_CASE("busy: the strip is of samples as the figures are") {
  CHECK(BusyRun().strip_ms(4) == Rows{{0, 0, 0, 0}, {25, 25, 0, 0}, {0, 0, 25, 25}});
}

TEST_CASE("busy: a metric of calls makes nothing hot and says why") {
  const BusyRun run;
  snapshot::ViewRequest request;
  request.metric = "calls";
  request.window = snapshot::TimeWindow{0, 0, 100 * kMs};
  const auto view = run.ask(request);
  REQUIRE(view);
  for (const snapshot::Component& c : view->snapshot->components) CHECK(c.figures.hotness == 0);
  const auto& notes = view->snapshot->health.notes;
  REQUIRE(notes.size() == 2);
  CHECK(notes[1] ==
        "the metric 'calls' needs calls, which were not all seen in this window: nothing is hot by "
        "it");
  CHECK(notes[0].starts_with("busy: time from samples (200/s); calls of 1 of 3 operations from "));
}

TEST_CASE("busy: the executions of a window tell when probes were away") {
  BusyRun run;
  run.states.pause(1, 90 * kMs, "too dear");
  snapshot::ViewRequest request;
  request.window = snapshot::TimeWindow{0, 50 * kMs, 200 * kMs};
  request.executions.emplace();
  const auto view = run.ask(request);
  REQUIRE(view);
  using Away = snapshot::ExecutionsView::Away;
  CHECK(view->executions->away ==
        std::vector<Away>{{"A/B", 50 * kMs, 80 * kMs}, {"A/B", 90 * kMs, 100 * kMs}});
}

TEST_CASE("sampled: in a mixed view all have real times by which they are ranked") {
  const snapshot::Snapshot probed = SampledRun({}).look({}), mixed = SampledRun({2}).look({});
  for (const snapshot::Component& c : probed.components)
    CHECK_FALSE(c.figures.estimated->net_real_ns);
  for (const snapshot::Component& c : mixed.components) CHECK(c.figures.estimated->net_real_ns);
  CHECK(mixed.components[0].figures.seen);
}
