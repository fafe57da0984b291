// SPDX-License-Identifier: Apache-2.0
// A recorded run of samples in place of a live one: the same estimates, at every position.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/limits.h"
#include "opened.h"
#include "pipeline/sample_recorder.h"
#include "present/estimated.h"
#include "present/snapshot_builder.h"
#include "replay/logged_samples.h"
#include "replay/replay_run.h"
#include "run_log/log_values.h"
#include "spec/parse.h"
#include "support/log_scene.h"
#include "support/sample_scene.h"

using namespace compmond;
using replay::test::opened;
using replay::test::run_to_end;
using sampling::SampleScene;

namespace {

constexpr const char* kSampledSpec =
    R"({"schema": "compmond.spec/1", "name": "made-up", "components": [
    {"name": "A", "in": ["fa"], "components": [{"name": "B", "in": ["fb"]}]}, {"name": "C", "in": ["fc"]}],
    "connections": [["A", "C"]]})";
constexpr uint64_t kSeconds = 20;
constexpr double kHz = 199;

// fa and fb are two functions each of the program, fc one of its library.
plan::Plan plan_of_scene() {
  plan::Plan out;
  out.images.push_back({0, "/bin/made-up", true, nullptr, 8, 100});
  out.images.push_back({1, "/lib/libmade.so", false, nullptr, 8, 101});
  const std::vector<std::vector<elf::Image::Range>> code = {
      {{0, 256}, {512, 256}}, {{1024, 256}, {1536, 256}}, {{256, 256}}};
  for (int i = 0; i < 3; ++i) {
    plan::PlannedOperation& op = out.operations.emplace_back();
    op.component = i;
    op.image = i == 2;
    op.name = op.symbol = std::string("f") + char('a' + i);
    op.ways.resize(1);
    op.ways[0].engine = "sampling";
    op.ways[0].code = code[size_t(i)];
  }
  return out;
}

// Nothing: the run has no events.
class NoEvents : public record::EventSource {
 public:
  size_t drain(record::EventSink&) override { return 0; }
  record::Ledger ledger() const override { return {}; }
  uint64_t now_ns() const override { return SampleScene::kStart; }
};

class TwoSinks : public sampling::SampleSink {
 public:
  TwoSinks(sampling::SampleSink& a, sampling::SampleSink& b) : a_(a), b_(b) {}
  void on_image(const sampling::Image& image) override { a_.on_image(image), b_.on_image(image); }
  void on_function(const sampling::Function& function) override {
    a_.on_function(function), b_.on_function(function);
  }
  void on_sample(const sampling::Sample& sample) override {
    a_.on_sample(sample), b_.on_sample(sample);
  }
  void on_stretch(const sampling::Stretch& stretch) override {
    a_.on_stretch(stretch), b_.on_stretch(stretch);
  }

 private:
  sampling::SampleSink &a_, &b_;
};

// A run that was recorded, and what its own snapshot said.
struct RecordedSamples {
  RecordedSamples() {
    const spec::Spec spec = *spec::parse(kSampledSpec, "made-up.json");
    const plan::Plan plan = plan_of_scene();
    const plan::OperationStates states(plan);
    const std::vector<snapshot::Health::Engine> engines{{"sampling", "timer", false}};
    const std::vector<target::Program> programs{{{}, "ab12"}};
    const plan::Costs costs;
    const std::vector<std::string> notes;
    const target::ObservedProcesses processes({{100, "/bin/made-up", 7, false, 0, 0}}, 0);
    recording::Header header = run::log_header(spec, plan, states, costs, engines);
    header.start_ns = header.begin_ns = SampleScene::kStart;
    header.history_bytes = limits::kHistoryBytes;
    header.build_id = programs.front().build_id;
    header.samples_hz = kHz;
    recording::Recorder::Options options;
    options.path = path;
    auto recorder = *recording::Recorder::open(options);
    REQUIRE(recorder->start(header));

    estimate::SampleStore store(present::estimate_model_of(spec, plan));
    pipeline::SampleRecorder samples(*recorder);
    TwoSinks both(samples, store);
    SampleScene scene(both);
    scene.pass(kSeconds);
    samples.hand_on();

    NoEvents source;
    pipeline::Options data;
    data.component_of = {0, 1, 2};
    data.history_bytes = 1u << 20;
    data.start_ns = SampleScene::kStart;
    auto worker = Worker::start("cannot test");
    REQUIRE(worker);
    pipeline::Pipeline pipeline(source, data);
    pipeline.start(*worker);
    pipeline.stop(scene.now_ns());
    const pipeline::SharedCheckpoint now = pipeline.checkpoint();
    present::RunParts parts{spec,    plan,      states, costs,
                            engines, processes, notes,  pipeline.store(),
                            *now,    programs,  true};
    parts.samples.emplace(present::RunSamples{store, kHz});
    live = present::build_snapshot(parts, {figures::last_seconds(*now, 0), "overall"});
    recording::State state =
        run::log_state(header, plan, states, processes, costs, programs, notes, {});
    state.as_of_ns = scene.now_ns();
    state.ended = true;
    recorder->finish(state);
    CHECK(!recorder->take_error());
  }

  recording::TemporaryFolder folder;
  std::string path = folder.file("log");
  snapshot::Snapshot live;
};

uint64_t taken(replay::ReplayRun& replay) {
  return replay.snapshot(0, "overall", {}).health.samples->taken;
}

}  // namespace

TEST_CASE("sample replay: the snapshot at the end says what the live one said, byte for byte") {
  const RecordedSamples run;
  auto replay = opened(run.path);
  run_to_end(*replay);
  CHECK(replay->player().position().at_end);
  snapshot::Snapshot again = replay->snapshot(0, "overall", {});
  REQUIRE(again.components[1].figures.estimated);
  CHECK(again.components[1].figures.estimated->cpu_ns->value_ns > 1e8);
  CHECK(again.health.samples->taken > 18 * 200);
  CHECK(!again.edges.empty());
  again.created = run.live.created;
  CHECK(to_json(again) == to_json(run.live));
}

TEST_CASE("sample replay: the inside of a log without a replay is that of the replay") {
  const RecordedSamples run;
  auto replay = opened(run.path);
  run_to_end(*replay);
  snapshot::ViewRequest request;
  request.analysis = *replay->inside_of("A");
  request.analysis->limit = 20'000;
  const auto view = replay->view(request);
  REQUIRE(view);
  const auto& played = *view->analysis->as<snapshot::Inside>();
  const auto read = replay::inside_of_log(run.path, {"A", {}, {}});
  REQUIRE(read);
  CHECK(played.total.samples > 100);
  CHECK(*read->view.as<snapshot::Inside>() == played);
  CHECK(read->damaged == 0);
}

TEST_CASE("sample replay: a log is looked into whole, or from and to a moment of its run") {
  const RecordedSamples run;
  const auto samples = [&](const replay::SamplesAsked& asked) {
    const auto found = replay::inside_of_log(run.path, asked);
    REQUIRE(found);
    const auto& inside = *found->view.as<snapshot::Inside>();
    CHECK(well_formed(found->view));
    if (asked.part.empty()) CHECK(inside.callers.size() == 1);
    return inside.total.samples;
  };
  const uint64_t all = samples({}), first = samples({"", {}, text::Moment{5.0}}),
                 rest = samples({"", text::Moment{5.0}, {}});
  CHECK(all == run.live.health.samples->taken);
  CHECK(first > 4 * 200);
  CHECK(first < 6 * 200);
  CHECK(first + rest >= all);  // a wait that lies in both counts where it ends
  CHECK(first + rest <= all + 1);
  CHECK(samples({"C", {}, {}}) < all);
  CHECK(samples({"", text::Moment{1e6}, {}}) == 0);
  CHECK(replay::inside_of_log(run.path, {"D", {}, {}}).error().code == Exit::kData);
  CHECK(replay::inside_of_log(run.folder.file("none"), {}).error().code == Exit::kNoInput);
}

TEST_CASE("sample replay: at every position there is what was sampled until then, backwards too") {
  const RecordedSamples run;
  auto replay = opened(run.path);
  uint64_t before = 0;
  for (const uint64_t second : {5, 11, 17}) {
    replay->player().seek(SampleScene::kStart + second * SampleScene::kSecond);
    CHECK(!replay->player().position().at_end);
    const uint64_t now = taken(*replay);
    CHECK(now > before);
    CHECK(now <= second * 200);
    CHECK(now >= (second - 3) * 200);
    before = now;
  }
  run_to_end(*replay);
  const uint64_t all = taken(*replay);
  replay->player().seek(SampleScene::kStart + 5 * SampleScene::kSecond);
  CHECK(taken(*replay) <= 5 * 200);
  CHECK(replay->player().position().time_ns == SampleScene::kStart + 5 * SampleScene::kSecond);
  run_to_end(*replay);
  CHECK(taken(*replay) == all);
}

TEST_CASE("sample replay: where there are no events a step hands over one sample more") {
  const RecordedSamples run;
  auto replay = opened(run.path);
  replay->player().step(1000);
  const uint64_t at = replay->player().position().time_ns;
  CHECK(at > SampleScene::kStart + 4 * SampleScene::kSecond);
  CHECK(at < SampleScene::kStart + 6 * SampleScene::kSecond);
  replay->player().step(5);
  CHECK(replay->player().position().time_ns > at);
  CHECK(replay->player().position().time_ns < at + SampleScene::kSecond / 10);
}

TEST_CASE("sample replay: a log cut in its middle tells what is missing, and of the rest all") {
  const RecordedSamples run;
  std::string bytes = recording::content_of(run.path);
  for (size_t i = bytes.size() / 2; i < bytes.size() / 2 + 8; ++i) bytes[i] = char(~bytes[i]);
  recording::write_content(run.folder.file("cut"), bytes);
  auto replay = opened(run.folder.file("cut"));
  run_to_end(*replay);
  const snapshot::Snapshot again = replay->snapshot(0, "overall", {});
  const uint64_t missing = run.live.health.samples->taken - again.health.samples->taken;
  CHECK(missing > 0);
  CHECK(missing < 4 * 200);
  CHECK(again.health.samples->lost > run.live.health.samples->lost);
  REQUIRE(replay->last_words().size() == 1);
  CHECK(replay->last_words()[0].find("samples between") != std::string::npos);
}

TEST_CASE("sample replay: a log that lost all the samples that its run took says so") {
  const RecordedSamples run;
  const auto noted = [](replay::ReplayRun& replay) {
    run_to_end(replay);
    return std::ranges::any_of(replay.snapshot(0, "overall", {}).health.notes, [](auto& note) {
      return note.find("the log has none of the") == 0;
    });
  };
  CHECK_FALSE(noted(*opened(run.path)));
  std::string bytes = recording::content_of(run.path);
  for (size_t i = bytes.size() / 10; i < bytes.size() * 9 / 10; i += 16) bytes[i] = char(~bytes[i]);
  recording::write_content(run.folder.file("robbed"), bytes);
  CHECK(noted(*opened(run.folder.file("robbed"))));
}

TEST_CASE("sample replay: times outside the log are refused, with where it begins and ends") {
  const RecordedSamples run;
  replay::ReplayRun::Options options;
  options.from = text::Moment{kSeconds + 100};
  const auto beyond = replay::ReplayRun::open(run.path, options);
  REQUIRE_FALSE(beyond);
  CHECK(beyond.error().code == Exit::kUsage);
  CHECK(beyond.error().text().find("0.0 s to 20.") != std::string::npos);
  options.from = text::Moment{kSeconds - 1};
  CHECK(replay::ReplayRun::open(run.path, options));
}

TEST_CASE("sample replay: a log without samples has none to show") {
  const RecordedSamples run;
  auto replay = opened(run.path);
  CHECK(replay->snapshot(0, "overall", {}).health.samples);
  recording::write_small_log(run.folder.file("calls"), 1);
  auto reader = *recording::LogReader::open(run.folder.file("calls"));
  CHECK(!(reader.header().samples_hz > 0));
}
