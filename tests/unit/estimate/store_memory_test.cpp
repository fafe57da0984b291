// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "core/limits.h"
#include "estimate/estimates.h"
#include "estimate/sample_store.h"
#include "samples.h"

using namespace compmond;
using namespace compmond::estimate;
using namespace compmond::estimate::samples;

TEST_CASE("store: how many samples are there in full is a matter of the memory for history") {
  const auto kept_since = [](size_t history_bytes) {
    Fed fed(1, SampleStore::options_of(history_bytes));
    for (uint64_t i = 1; i <= 20'000; ++i) fed.on(i * 10'000, {0});
    fed.stretch(0, kSecond, 20'000, kSecond);
    return fed.store.counts().complete_since_ns;
  };
  CHECK(kept_since(limits::kHistoryBytes) == 0);
  CHECK(kept_since(4u << 20) > 0);
  CHECK(kept_since(1u << 20) > kept_since(4u << 20));
}

TEST_CASE("store: many distinct stacks of as many threads stay within their bytes") {
  SampleStore::Options options;
  options.tiles_bytes = options.recent_bytes = options.stacks_bytes = 4 << 20;
  Fed fed(3, options);
  sampling::Sample sample;
  std::vector<sampling::Frame> frames(6);
  size_t most = 0;
  constexpr uint32_t kMany = 200'000;
  for (uint32_t i = 0; i < kMany; ++i) {
    for (size_t f = 0; f < frames.size(); ++f) frames[f] = {3, uint64_t(i) * 16 + f};
    frames[5] = frame_of(int(i % 3));
    sample.frames = frames;
    sample.pid = 1 + i / 1000;
    sample.tid = 1 + i;
    sample.time_ns = uint64_t(i) * 2 * kMs;
    fed.store.on_sample(sample);
    if (i % 500 == 499) {
      fed.stretch(sample.time_ns - 998 * kMs, sample.time_ns + 2 * kMs, 500, kSecond);
      most = std::max(most, fed.store.counts().memory_bytes);
    }
  }
  // One group, and the tile of the whole run, come on top.
  CHECK(most <= (13u << 20) + 2 * Tile::kRowsMost * sizeof(Row));
  const Estimates e(fed.store, {});
  CHECK(e.operation(1).own.on_cpu.value_ns == doctest::Approx(400e9 / 3).epsilon(0.001));
  CHECK(e.totals().samples.on_samples == kMany);
  double threads = 0;
  for (const ThreadTimes& thread : e.threads()) threads += thread.times.on_cpu.value_ns;
  CHECK(threads == doctest::Approx(400e9).epsilon(0.001));
}
