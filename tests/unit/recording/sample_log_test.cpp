// SPDX-License-Identifier: Apache-2.0
// Samples in the files of a log: found, checked and missed as events are.
#include <doctest/doctest.h>

#include <algorithm>

#include "log_format/sample_codec.h"
#include "recording/flight_buffer.h"
#include "recording/log_reader.h"
#include "support/log_scene.h"
#include "support/sample_scene.h"

using namespace compmond;
using namespace compmond::recording;

namespace {

constexpr uint64_t kParts = 4, kPartSamples = 3, kPartNs = 1'000'000;

// Chunk `number` of a log: three samples in two functions, and the stretch of their time.
SampleBlock block_of(uint64_t number) {
  const uint64_t start = kSceneStart + number * kPartNs;
  SampleBlock out;
  out.first_sample = number * kPartSamples;
  out.images = {{3, "/bin/small", 8, 100, "ab"}};
  out.functions = {{3, 0x100, 0x200, "main"}};
  out.calls = {{SampleBlock::kNoCall, {3, 0x110}}, {0, {3, 0x240}}};
  for (uint32_t i = 0; i < kPartSamples; ++i) {
    sampling::Sample sample;
    sample.pid = sample.tid = 100;
    sample.time_ns = start + (i + 1) * 1000;
    out.samples.push_back({sample, i % 2});
  }
  sampling::Stretch stretch;
  stretch.start_ns = start;
  stretch.end_ns = start + kPartNs;
  stretch.hz = 100;
  stretch.processes = {{100, 1000 + number}};
  out.stretches = {{stretch, kPartSamples}};
  return out;
}

struct Sealed {
  ChunkHead head;
  std::string bytes;
};
Sealed sealed(const SampleBlock& block) {
  Sealed out;
  const std::string payload = encode(block, out.head);
  out.bytes = seal(out.head, payload);
  return out;
}

Header sampled_header() {
  Header out = small_header();
  out.samples_hz = 100;
  return out;
}

// A log of these, ended properly, that counted so many.
void write_samples(const std::string& path, const std::vector<SampleBlock>& blocks,
                   uint64_t samples, uint64_t limit_bytes = 0) {
  auto file = *LogFile::create(path, limit_bytes);
  (void)file.begin(sampled_header());
  for (const SampleBlock& block : blocks) {
    const auto [head, bytes] = sealed(block);
    REQUIRE(file.append(head, bytes));
  }
  State state = small_header().state;
  state.ended = true;
  state.as_of_ns = kSceneStart + kParts * kPartNs;
  state.samples = samples;
  ChunkHead head;
  const std::string bytes = state_chunk(state, head);
  (void)file.append(head, bytes);
  (void)file.finish();
}

std::vector<SampleBlock> parts_of(std::initializer_list<uint64_t> numbers = {0, 1, 2, 3}) {
  std::vector<SampleBlock> out;
  for (const uint64_t number : numbers) out.push_back(block_of(number));
  return out;
}

struct Told {
  sampling::SampleLines lines;
  std::vector<Damage> damage;
  uint64_t missing() const {
    uint64_t sum = 0;
    for (const Damage& one : damage) sum += one.samples;
    return sum;
  }
};
Told read_samples(LogReader& reader) {
  Told out;
  for (DecodedChunk chunk; reader.next(chunk);)
    if (chunk.samples) tell(*chunk.samples, out.lines);
  out.damage = reader.damage();
  return out;
}
Result<Told> read_samples(const std::string& path) {
  auto reader = LogReader::open(path);
  if (!reader) return Unexpected(std::move(reader.error()));
  return read_samples(*reader);
}

struct SampledLog {
  SampledLog() {
    write_samples(path, parts_of(), kParts * kPartSamples);
    bytes = content_of(path);
    whole = *read_samples(path);
  }
  Result<Told> read(std::string_view changed) const {
    write_content(folder.file("changed"), changed);
    return read_samples(folder.file("changed"));
  }
  TemporaryFolder folder;
  std::string path = folder.file("log");
  std::string bytes;
  Told whole;
};

}  // namespace

TEST_CASE("sample log: samples are read as they were written, as often as wanted") {
  const SampledLog log;
  CHECK(log.whole.lines.samples == kParts * kPartSamples);
  CHECK(log.whole.lines.lines.size() == kParts * (kPartSamples + 1));
  CHECK(log.whole.damage.empty());
  auto reader = *LogReader::open(log.path);
  CHECK(reader.header().samples_hz == 100);
  CHECK(reader.samples() == kParts * kPartSamples);
  CHECK(reader.events() == 0);
  CHECK(reader.end_ns() == kSceneStart + kParts * kPartNs);
  CHECK(read_samples(reader).lines.lines == log.whole.lines.lines);
  reader.rewind();
  CHECK(read_samples(reader).lines.lines == log.whole.lines.lines);
  reader.seek(kSceneStart + 2 * kPartNs + 1);
  const Told later = read_samples(reader);
  CHECK(later.lines.samples == 2 * kPartSamples);
  CHECK(later.damage.empty());
}

TEST_CASE("sample log: one cut off anywhere is read up to there, and the rest is reported") {
  const SampledLog log;
  size_t readable = 0;
  for (size_t size = 0; size < log.bytes.size(); ++size) {
    CAPTURE(size);
    const auto read = log.read(std::string_view(log.bytes).substr(0, size));
    if (!read) {
      CHECK(read.error().code == Exit::kData);
      CHECK(readable == 0);
      continue;
    }
    ++readable;
    CHECK(read->lines.samples % kPartSamples == 0);
    CHECK(std::equal(read->lines.lines.begin(), read->lines.lines.end(),
                     log.whole.lines.lines.begin()));
  }
  CHECK(readable > log.bytes.size() / 2);
}

TEST_CASE("sample log: whichever byte is flipped, all other chunks are read and the damage told") {
  const SampledLog log;
  for (size_t i = 0; i < log.bytes.size(); ++i) {
    CAPTURE(i);
    std::string changed = log.bytes;
    changed[i] = char(changed[i] ^ 0x40);
    const auto read = log.read(changed);
    REQUIRE(read);
    CHECK(!read->damage.empty());
    CHECK(read->lines.samples >= (kParts - 1) * kPartSamples);
    CHECK(read->lines.samples + read->missing() == kParts * kPartSamples);
  }
}

TEST_CASE("sample log: missing samples are a stretch without any, in which they are lost") {
  const TemporaryFolder folder;
  write_samples(folder.file("log"), parts_of({0, 3}), 12);
  const auto read = *read_samples(folder.file("log"));
  REQUIRE(read.damage.size() == 1);
  CHECK(read.damage[0].samples == 6);
  CHECK(read.damage[0].events == 0);
  CHECK(to_text(read.damage[0], kSceneStart) == "6 samples between 0.001 s and 0.003 s missing");
  CHECK(read.lines.lost == 6);
  CHECK(read.lines.lines[4] == fmt::format("stretch {} to {} 0 false false 0 lost 6:",
                                           kSceneStart + kPartNs, kSceneStart + 3 * kPartNs));
  write_samples(folder.file("log"), parts_of({0, 1}), 12);  // the run counted more
  CHECK(read_samples(folder.file("log"))->missing() == 6);
}

TEST_CASE("sample log: numbers that no run can have are damage, and no count of what is missing") {
  const TemporaryFolder folder;
  const auto read = [&](std::vector<SampleBlock> parts, uint64_t samples) {
    write_samples(folder.file("log"), parts, samples);
    return *read_samples(folder.file("log"));
  };
  for (const size_t forged : {0, 2}) {
    auto parts = parts_of();
    parts[forged].first_sample = uint64_t(1) << 60;
    const Told told = read(parts, kParts * kPartSamples);
    CHECK(told.lines.samples == (kParts - 1) * kPartSamples);
    CHECK(told.missing() == kPartSamples);
    CHECK(told.lines.lost == kPartSamples);
    REQUIRE(told.damage.size() == 1);
    CHECK(told.damage[0].bytes > 0);
  }
  auto lost = parts_of();
  lost[1].stretches[0].stretch.lost = uint64_t(1) << 50;
  CHECK(read(lost, kParts * kPartSamples).lines.lost == kPartSamples);
  const Told counted = read(parts_of(), uint64_t(1) << 60);
  CHECK(counted.lines.samples == kParts * kPartSamples);
  CHECK(counted.missing() <= most_samples(kParts * kPartNs));
}

TEST_CASE("sample log: a chunk that was read before, or whose time goes back, is damage") {
  const TemporaryFolder folder;
  write_samples(folder.file("log"), parts_of({0, 1, 0, 1, 2}), 9);
  const auto twice = *read_samples(folder.file("log"));
  CHECK(twice.lines.samples == 9);
  CHECK(twice.missing() == 0);
  REQUIRE(twice.damage.size() == 1);
  CHECK(twice.damage[0].bytes > 0);
  auto back = parts_of({0, 1});
  back[1].stretches[0].stretch.start_ns -= 1;
  write_samples(folder.file("log"), back, 6);
  const auto read = *read_samples(folder.file("log"));
  CHECK(read.lines.samples == 3);
  CHECK(read.missing() == 3);
}

TEST_CASE("sample log: events are read as if there were no samples, and the other way round") {
  const TemporaryFolder folder;
  auto file = *LogFile::create(folder.file("log"), 0);
  (void)file.begin(sampled_header());
  for (uint64_t i = 0; i < 3; ++i) {
    ChunkHead head;
    const std::string payload = encode(small_block(i), head);
    const std::string bytes = seal(head, payload);
    REQUIRE(file.append(head, bytes));
    const auto [sample_head, sample_bytes] = sealed(block_of(i));
    REQUIRE(file.append(sample_head, sample_bytes));
  }
  (void)file.finish();
  write_small_log(folder.file("events"), 3);
  const auto events = *read_log(folder.file("log"));
  CHECK(events.lines == read_log(folder.file("events"))->lines);
  CHECK(events.damage.empty());
  CHECK(read_samples(folder.file("log"))->lines.samples == 9);
}

TEST_CASE("sample log: with two files that take turns the newest samples are there") {
  const TemporaryFolder folder;
  std::vector<SampleBlock> many;
  for (uint64_t i = 0; i < 200; ++i) many.push_back(block_of(i));
  write_samples(folder.file("log"), many, 200 * kPartSamples, 16 << 10);
  auto reader = *LogReader::open(folder.file("log"));
  const Told read = read_samples(reader);
  CHECK(read.damage.empty());
  CHECK(read.lines.samples < 200 * kPartSamples);
  CHECK(read.lines.samples > 10 * kPartSamples);
  CHECK(reader.header().first_sample == 200 * kPartSamples - read.lines.samples);
  CHECK(reader.begin_ns() == kSceneStart + reader.header().first_sample / 3 * kPartNs);
}

TEST_CASE("sample log: a flight recorder keeps the newest samples beside the newest events") {
  const TemporaryFolder folder;
  FlightBuffer buffer(2 * kPartNs, 1u << 20);
  for (uint64_t i = 0; i < 10; ++i) {
    ChunkHead head;
    const std::string payload = encode(small_block(i), head);
    std::string bytes = seal(head, payload);
    buffer.append(head, std::move(bytes));
    auto [sample_head, sample_bytes] = sealed(block_of(i));
    buffer.append(sample_head, std::move(sample_bytes));
  }
  State state = small_header().state;
  state.events = 10 * 24;
  state.samples = 10 * kPartSamples;
  state.ended = true;
  state.as_of_ns = kSceneStart + 10 * kPartNs;
  write_content(folder.file("log"), buffer.log(sampled_header(), state));
  const auto read = *read_samples(folder.file("log"));
  CHECK(read.damage.empty());
  CHECK(read.lines.samples >= 2 * kPartSamples);
  CHECK(read.lines.samples <= 3 * kPartSamples);
  CHECK(read_log(folder.file("log"))->events >= 2 * 24);
}
