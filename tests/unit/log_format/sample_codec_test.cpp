// SPDX-License-Identifier: Apache-2.0
#include "log_format/sample_codec.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>

#include "log_format/bytes.h"
#include "support/sample_scene.h"

using namespace compmond;
using namespace compmond::recording;
using sampling::SampleLines;

namespace {

constexpr uint64_t kT = 5'000;

// Two stacks that share their callers, a wait, and a stretch between them.
SampleBlock small_block() {
  SampleBlock out;
  out.first_sample = 40;
  out.images = {{3, "/bin/a", 8, 100, "ab"}, {7, "/lib/b", 8, 101, ""}};
  out.functions = {{3, 0x100, 0x200, "main"}, {7, 0x40, 0x80, ""}};
  const uint32_t none = SampleBlock::kNoCall;
  out.calls = {{none, {3, 0x110}}, {0, {7, 0x44}}, {0, {7, 0x48}}, {1, {0, UINT64_MAX}}};
  for (uint32_t i = 0; i < 4; ++i) {
    sampling::Sample sample;
    sample.pid = 100;
    sample.tid = 100 + i % 2;
    sample.time_ns = kT + 100 * i - (i == 2 ? 150 : 0);  // one comes late
    sample.in_kernel = i == 1;
    sample.in_probe = i == 0;
    out.samples.push_back({sample, i == 0 ? none : i});
  }
  sampling::Sample& wait = out.samples[3].sample;
  wait.kind = sampling::Sample::Kind::kOffCpu;
  wait.ended = sampling::Ended::kTruncated;
  wait.off_ns = 70;
  wait.runnable_ns = 20;
  wait.weight_ns = 60;
  sampling::Stretch stretch;
  stretch.start_ns = kT - 1000;
  stretch.end_ns = kT + 150;
  stretch.hz = 198.6;
  stretch.off_cpu = true;
  stretch.sees_probes = true;
  stretch.off_cpu_period_ns = 33;
  stretch.processes = {{100, 900}, {101, 0}};
  stretch.lost = 2;
  out.stretches = {{stretch, 3}};
  return out;
}

std::vector<std::string> lines_of(const SampleBlock& block) {
  SampleLines out;
  tell(block, out);
  return out.lines;
}

// What is refused when this is changed in the block.
using Change = std::function<void(SampleBlock&)>;
bool survives(const Change& change) {
  SampleBlock block = small_block();
  change(block);
  ChunkHead head;
  const std::string payload = encode(block, head);
  return decode_samples(head, payload).has_value();
}

}  // namespace

TEST_CASE("sample codec: what is told comes out of a chunk as it went in") {
  ChunkHead head;
  const std::string payload = encode(small_block(), head);
  CHECK(head.type == ChunkType::kSamples);
  CHECK(head.events == 4);
  CHECK(head.first_event == 40);
  CHECK(head.min_ns == kT - 1000);
  CHECK(head.max_ns == kT + 300);
  const auto again = decode_samples(head, payload);
  REQUIRE(again);
  CHECK(again->first_sample == 40);
  CHECK(lines_of(*again) == lines_of(small_block()));
  CHECK(lines_of(*again)[4] ==
        "off 100/101 at 5300 1 false false off 70 20 60: [0+ffffffffffffffff] [/lib/b:8:101:+44 ] "
        "[/bin/a:8:100:ab+110 main]");
}

TEST_CASE("sample codec: a chunk of stretches without samples is whole") {
  SampleBlock block = small_block();
  block.samples.clear();
  block.stretches[0].after = 0;
  ChunkHead head;
  const std::string payload = encode(block, head);
  const auto again = decode_samples(head, payload);
  REQUIRE(again);
  CHECK(again->samples.empty());
  CHECK(again->stretches.size() == 1);
}

TEST_CASE("sample codec: a payload cut off anywhere, or with more behind it, is malformed") {
  ChunkHead head;
  const std::string payload = encode(small_block(), head);
  for (size_t size = 0; size < payload.size(); ++size) {
    CAPTURE(size);
    CHECK(!decode_samples(head, std::string_view(payload).substr(0, size)));
  }
  CHECK(!decode_samples(head, payload + '\0'));
}

TEST_CASE("sample codec: whatever is changed in a payload, what comes out is in range") {
  ChunkHead head;
  const std::string payload = encode(small_block(), head);
  for (size_t i = 0; i < payload.size(); ++i) {
    for (const int bits : {0x01, 0x40, 0x80, 0xff}) {
      std::string changed = payload;
      changed[i] = char(changed[i] ^ bits);
      const auto block = decode_samples(head, changed);
      if (!block) continue;
      for (size_t c = 0; c < block->calls.size(); ++c)
        CHECK((block->calls[c].caller < c || block->calls[c].caller == SampleBlock::kNoCall));
      for (const auto& taken : block->samples) {
        CHECK((taken.innermost < block->calls.size() || taken.innermost == SampleBlock::kNoCall));
        CHECK(taken.sample.time_ns >= head.min_ns);
        CHECK(taken.sample.time_ns <= head.max_ns);
      }
    }
  }
}

TEST_CASE("sample codec: what refers to nothing is malformed") {
  CHECK(survives([](SampleBlock&) {}));
  CHECK(!survives([](SampleBlock& b) { b.samples[1].innermost = 4; }));  // no such stack
  CHECK(!survives([](SampleBlock& b) { b.calls[1].frame.image = 4; }));  // no such image
  CHECK(!survives([](SampleBlock& b) { b.functions[1].image = 9; }));    // likewise
  CHECK(!survives([](SampleBlock& b) { b.images[1].number = 3; }));      // two of a number
  CHECK(!survives([](SampleBlock& b) { b.images[0].number = 1u << 20; }));
  CHECK(!survives([](SampleBlock& b) { b.calls[1].caller = 2; }));  // behind its callee
  CHECK(!survives([](SampleBlock& b) { b.samples[0].sample.pid = 1u << 22; }));
}

TEST_CASE("sample codec: times and numbers that nothing can have are malformed") {
  CHECK(!survives([](SampleBlock& b) { b.stretches[0].stretch.hz = -1; }));
  CHECK(!survives([](SampleBlock& b) {
    b.stretches[0].stretch.hz = std::numeric_limits<double>::quiet_NaN();
  }));
  CHECK(!survives([](SampleBlock& b) { b.stretches[0].stretch.processes[0].cpu_ns = UINT64_MAX; }));
  CHECK(!survives([](SampleBlock& b) { b.samples[3].sample.weight_ns = UINT64_MAX / 2; }));
  CHECK(!survives([](SampleBlock& b) { b.samples[3].sample.ended = sampling::Ended(3); }));
  CHECK(!survives([](SampleBlock& b) {  // a stretch before the one before it
    b.stretches.push_back(b.stretches[0]);
    b.stretches[1].stretch.start_ns -= 500;
  }));
  ChunkHead head;
  const std::string payload = encode(small_block(), head);
  ChunkHead later = head;
  later.max_ns -= 1;
  CHECK(!decode_samples(later, payload));
  ChunkHead more = head;
  more.events = 5;
  CHECK(!decode_samples(more, payload));
}

TEST_CASE("sample codec: a stack deeper than anybody unwinds is malformed") {
  const auto with_depth = [](uint32_t depth) {
    return survives([&](SampleBlock& b) {
      for (uint32_t i = 1; i < depth; ++i)
        b.calls.push_back({i == 1 ? 0 : uint32_t(b.calls.size() - 1), {3, 0x120}});
    });
  };
  CHECK(with_depth(kMaxDepth));
  CHECK(!with_depth(kMaxDepth + 1));
}
