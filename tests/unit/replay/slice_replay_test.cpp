// SPDX-License-Identifier: Apache-2.0
// A recorded run with slices in place of a live one: the same estimates of calls.
#include <doctest/doctest.h>

#include "core/limits.h"
#include "opened.h"
#include "pipeline/slice_recorder.h"
#include "present/snapshot_builder.h"
#include "replay/replay_run.h"
#include "run_log/log_values.h"
#include "spec/parse.h"
#include "support/log_scene.h"

using namespace compmond;
using replay::test::opened;
using replay::test::run_to_end;

namespace {

constexpr const char* kSpec =
    R"({"schema": "compmond.spec/1", "name": "made-up", "components": [
    {"name": "A", "in": ["fa"]}, {"name": "B", "in": ["fb"]}]})";
constexpr uint64_t kMs = 1'000'000, kSecond = 1000 * kMs, kStart = 5 * kSecond, kSeconds = 30;

plan::Plan plan_of_two() {
  plan::Plan out;
  for (int i = 0; i < 2; ++i) {
    plan::PlannedOperation& op = out.operations.emplace_back();
    op.component = i;
    op.name = op.symbol = std::string("f") + char('a' + i);
    op.ways.resize(1);
    op.ways[0].exit = spec::ExitMode::kReturnProbe;
  }
  return out;
}

counts::Inputs inputs(double count) {
  counts::Inputs out;
  out.descriptor[3] = out.size[12] = count;
  return out;
}

// Two calls of A per input; of B nothing is known.
counts::Slice slice(uint64_t start_ns, double slow_down) {
  counts::Slice out;
  out.start_ns = start_ns;
  out.end_ns = start_ns + 50 * kMs;
  out.slow_down = slow_down;
  out.attached = {true, false};
  for (const bool first : {false, true})
    for (const bool complete : {false, true}) {
      const counts::Cell cell{.stratum = {3, 12}, .first = first, .complete = complete};
      out.inputs[cell] += complete ? 19 : 1;
      out.calls[0][cell] += complete ? 38 : 2;
    }
  return out;
}

// Tells both of a second: 1,000 inputs, two slices.
void pass(uint64_t second, counts::SliceStore& store, singles::SingleStore& singles,
          pipeline::SliceRecorder& log) {
  for (uint64_t i = 0; i < 10; ++i) {
    const uint64_t now = kStart + second * kSecond + i * 100 * kMs;
    if (i % 5 == 2) {
      const counts::Slice one = slice(now - 60 * kMs, i == 2 ? 1.2 : 1.8);
      const singles::Seen seen{.slice = {one.start_ns, one.end_ns},
                               .slow_down = one.slow_down,
                               .singles = {{0, 1, one.start_ns + i, 1000 + i, 10, 2.5, true}},
                               .edges = {{0, {1, 0}}}};
      log.add(one, seen);
      store.add(one);
      singles.add(seen);
    }
    const counts::InputTimes::Seen seen{.inputs = inputs(100)};
    log.add_inputs(now + 100 * kMs, seen);
    store.inputs().add(now + 100 * kMs, seen);
  }
}

// Nothing: the run has no events.
class NoEvents : public record::EventSource {
 public:
  size_t drain(record::EventSink&) override { return 0; }
  record::Ledger ledger() const override { return {}; }
  uint64_t now_ns() const override { return kStart; }
};

// A run that was busy from its first second on, and what its own snapshot said.
struct Recorded {
  explicit Recorded(bool has_slices = true) {
    const spec::Spec spec = *spec::parse(kSpec, "made-up.json");
    const plan::Plan plan = plan_of_two();
    plan::OperationStates states(plan);
    const std::vector<snapshot::Health::Engine> engines{{"uprobe", "session", true}};
    const std::vector<target::Program> programs{{{}, "ab12"}};
    const plan::Costs costs;
    const std::vector<std::string> notes;
    const target::ObservedProcesses processes({{100, "/bin/made-up", 7, false, 0, 0}}, 0);
    recording::Header header = run::log_header(spec, plan, states, costs, engines);
    header.start_ns = header.begin_ns = kStart;
    header.history_bytes = limits::kHistoryBytes;
    header.build_id = programs.front().build_id;
    recording::Recorder::Options options;
    options.path = path;
    auto recorder = *recording::Recorder::open(options);
    REQUIRE(recorder->start(header));
    plan::OperationState away;
    away.status = plan::OperationState::Status::kPaused;
    away.away.push_back({kStart, UINT64_MAX});
    for (size_t i = 0; i < 2; ++i) states.set(i, away);

    counts::SliceStore store;
    singles::SingleStore singles;
    pipeline::SliceRecorder slices(*recorder);
    if (has_slices) {
      slices.begin_inputs(kStart);
      store.inputs().begin(kStart);
      for (uint64_t second = 0; second < kSeconds; ++second) pass(second, store, singles, slices);
    }
    slices.hand_on();

    NoEvents source;
    pipeline::Options data;
    data.component_of = {0, 1};
    data.history_bytes = 1u << 20;
    data.start_ns = kStart;
    auto worker = Worker::start("cannot test");
    REQUIRE(worker);
    pipeline::Pipeline pipeline(source, data);
    pipeline.start(*worker);
    pipeline.stop(kStart + kSeconds * kSecond);
    const pipeline::SharedCheckpoint now = pipeline.checkpoint();
    present::RunParts parts{spec,    plan,      states, costs,
                            engines, processes, notes,  pipeline.store(),
                            *now,    programs,  true};
    if (has_slices)
      parts.slices.emplace(present::RunSlices{store, singles, {false, true}, {0, 7}, true});
    live = present::build_snapshot(parts, {figures::last_seconds(*now, 0), "overall"});
    recording::State state =
        run::log_state(header, plan, states, processes, costs, programs, notes, {});
    state.as_of_ns = kStart + kSeconds * kSecond;
    state.ended = true;
    if (has_slices) state.too_hot = {1};
    state.was_too_hot_until_ns = {0, 7};
    state.slices_stopped = has_slices;
    recorder->finish(state);
    CHECK(!recorder->take_error());
  }

  recording::TemporaryFolder folder;
  std::string path = folder.file("log");
  snapshot::Snapshot live;
};

void check_same(replay::ReplayRun& replay, const snapshot::Snapshot& live) {
  run_to_end(replay);
  snapshot::Snapshot again = replay.snapshot(0, "overall", {});
  again.created = live.created;
  CHECK(to_json(again) == to_json(live));
}

}  // namespace

TEST_CASE("slice replay: the snapshot at the end says what the live one said, byte for byte") {
  const Recorded run;
  REQUIRE(run.live.components[0].figures.estimated);
  REQUIRE(run.live.components[0].figures.estimated->calls);
  CHECK(run.live.components[0].figures.estimated->calls->value ==
        doctest::Approx(kSeconds * 2000).epsilon(0.01));
  REQUIRE(run.live.components[1].operations[0].figures.not_extrapolated);
  CHECK(run.live.components[1].operations[0].figures.not_extrapolated->starts_with("too hot"));
  CHECK(run.live.health.sliced->taken == 2 * kSeconds);
  check_same(*opened(run.path), run.live);
}

TEST_CASE("slice replay: at every position there is what was known until then, backwards too") {
  const Recorded run;
  auto replay = opened(run.path);
  const auto slices = [&](uint64_t second) {
    replay->player().seek(kStart + second * kSecond);
    return replay->player().look(0),
           replay->player().slices().store().within({0, UINT64_MAX}).slices;
  };
  for (const uint64_t second : {10, 20, 5}) {
    CHECK(slices(second) <= 2 * second);
    CHECK(slices(second) >= 2 * (second - 1));
  }
  check_same(*replay, run.live);
}

TEST_CASE("slice replay: a log without slices tells the calls that were seen, as before") {
  const Recorded run(false);
  CHECK_FALSE(run.live.components[0].figures.not_extrapolated);
  check_same(*opened(run.path), run.live);
}

TEST_CASE("slice replay: a log cut in its middle tells what is missing, and of the rest all") {
  const Recorded run;
  std::string bytes = recording::content_of(run.path);
  for (size_t i = bytes.size() / 2; i < bytes.size() / 2 + 8; ++i) bytes[i] = char(~bytes[i]);
  recording::write_content(run.folder.file("cut"), bytes);
  auto replay = opened(run.folder.file("cut"));
  run_to_end(*replay);
  const snapshot::Snapshot again = replay->snapshot(0, "overall", {});
  CHECK(again.health.sliced->taken < 2 * kSeconds);
  CHECK(again.health.sliced->taken >= 2 * kSeconds - 2);
  REQUIRE(replay->last_words().size() == 1);
  CHECK(replay->last_words()[0].find("unreadable") != std::string::npos);
}
