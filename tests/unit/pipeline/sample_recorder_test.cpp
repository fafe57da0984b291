// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sample_recorder.h"

#include <doctest/doctest.h>

#include "recording/log_reader.h"
#include "support/log_scene.h"
#include "support/sample_scene.h"

using namespace compmond;
using pipeline::SampleRecorder;
using recording::LogReader;
using recording::TemporaryFolder;
using sampling::SampleLines;
using sampling::SampleScene;

namespace {

struct Recording {
  explicit Recording(const std::string& path, uint64_t last_ns = 0) {
    recording::Recorder::Options options;
    options.path = path;
    options.last_ns = last_ns;
    options.save_log = [path](std::string_view log) -> Result<void> {
      recording::write_content(path, log);
      return {};
    };
    recorder = *recording::Recorder::open(options);
    recording::Header header = recording::small_header();
    header.samples_hz = 199;
    REQUIRE(recorder->start(header));
    samples.emplace(*recorder);
  }
  recording::State state(uint64_t now_ns) const {
    recording::State out = recording::small_header().state;
    out.ended = true;
    out.as_of_ns = now_ns;
    return out;
  }
  std::unique_ptr<recording::Recorder> recorder;
  std::optional<SampleRecorder> samples;
};

struct Read {
  explicit Read(const std::string& path) {
    auto reader = *LogReader::open(path);
    for (recording::DecodedChunk chunk; reader.next(chunk);) {
      if (!chunk.samples) continue;
      ++chunks;
      tell(*chunk.samples, lines);
    }
    damage = reader.damage();
    state = reader.last_state();
  }
  SampleLines lines;
  size_t chunks = 0;
  std::vector<recording::Damage> damage;
  recording::State state;
};

std::vector<std::string> lines_of(uint64_t seconds) {
  SampleLines out;
  SampleScene(out).pass(seconds);
  return out.lines;
}

}  // namespace

TEST_CASE("sample recorder: what is told is in the log, in order, in some bytes a sample") {
  const TemporaryFolder folder;
  Recording run(folder.file("log"));
  SampleScene scene(*run.samples);
  scene.pass(60);
  run.samples->hand_on();
  run.recorder->finish(run.state(scene.now_ns()));
  CHECK(!run.recorder->take_error());
  const Read read(folder.file("log"));
  CHECK(read.damage.empty());
  CHECK(read.lines.lines == lines_of(60));
  CHECK(read.lines.samples == 60 * 200);
  CHECK(read.state.samples == 60 * 200);
  CHECK(read.state.dropped_samples == 0);
  CHECK(read.chunks >= 20);  // what a killed run loses is some two seconds
  CHECK(read.chunks <= 40);
  CHECK(read.lines.functions < read.chunks * 20 + 20);  // once per chunk at most
}

TEST_CASE("sample recorder: what was handed on is there although the run was killed") {
  const TemporaryFolder folder;
  Recording run(folder.file("log"));
  SampleScene scene(*run.samples);
  scene.pass(5);
  run.recorder->flush();
  const std::string so_far = recording::content_of(folder.file("log"));
  scene.pass(5);
  run.samples->hand_on();
  run.recorder.reset();
  recording::write_content(folder.file("log"), so_far);
  const Read read(folder.file("log"));
  CHECK(read.damage.empty());
  CHECK(!read.state.ended);
  const auto all = lines_of(5);
  CHECK(read.lines.samples >= 2 * 200);
  CHECK(std::equal(read.lines.lines.begin(), read.lines.lines.end(), all.begin()));
}

TEST_CASE("sample recorder: a flight recorder saves the newest, stacks and names with them") {
  const TemporaryFolder folder;
  Recording run(folder.file("log"), 4 * SampleScene::kSecond);
  SampleScene scene(*run.samples);
  scene.pass(30);
  run.samples->hand_on();
  REQUIRE(run.recorder->save(run.state(scene.now_ns())));
  const Read read(folder.file("log"));
  CHECK(read.damage.empty());
  CHECK(read.lines.samples >= 4 * 200);
  CHECK(read.lines.samples <= 8 * 200);
  const auto all = lines_of(30);
  CHECK(std::equal(read.lines.lines.rbegin(), read.lines.lines.rend(), all.rbegin()));
}

TEST_CASE("sample recorder: what a full queue has no room for is counted, and seen as a gap") {
  const TemporaryFolder folder;
  Recording run(folder.file("log"));
  SampleScene scene(*run.samples);
  scene.pass(4);
  run.samples->hand_on();
  recording::ChunkHead head;
  head.type = recording::ChunkType::kSamples;
  head.events = 77;
  run.recorder->on_packed(head, std::string(limits::kLogSamplesBytes + 1, 'x'));
  run.recorder->finish(run.state(scene.now_ns()));
  CHECK(run.recorder->status().dropped_samples == 77);
  const Read read(folder.file("log"));
  CHECK(read.state.dropped_samples == 77);
  REQUIRE(read.damage.size() == 1);
  CHECK(read.damage[0].samples == 77);
}

TEST_CASE("sample recorder: a stack deeper than a log holds keeps its innermost frames") {
  const TemporaryFolder folder;
  Recording run(folder.file("log"));
  std::vector<sampling::Frame> frames;
  for (uint64_t i = 0; i < 1000; ++i) frames.push_back({sampling::kNoImage, i});
  sampling::Sample sample;
  sample.frames = frames;
  run.samples->on_sample(sample);
  run.samples->hand_on();
  run.recorder->finish(run.state(SampleScene::kStart));
  const Read read(folder.file("log"));
  REQUIRE(read.lines.lines.size() == 1);
  CHECK(read.lines.lines[0].find(" 1 false false off 0 0 0: [1+0] [1+1] ") != std::string::npos);
  CHECK(read.lines.lines[0].ends_with("[1+1ff]"));
}
