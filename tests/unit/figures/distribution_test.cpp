// SPDX-License-Identifier: Apache-2.0
#include "figures/distribution.h"

#include <doctest/doctest.h>

#include "random_scene.h"

using namespace compmond;
using namespace compmond::figures;
using trace::in;
using trace::out;

namespace {

void check_buckets(const std::vector<Bucket>& buckets, const std::vector<uint64_t>& times) {
  uint64_t count = 0;
  for (size_t i = 0; i < buckets.size(); ++i) {
    RC_ASSERT(buckets[i].from_ns < buckets[i].to_ns);
    if (i > 0) RC_ASSERT(buckets[i].from_ns == buckets[i - 1].to_ns);
    uint64_t inside = 0;
    for (const uint64_t time : times)
      inside += time >= buckets[i].from_ns && time < buckets[i].to_ns;
    RC_ASSERT(buckets[i].count == inside);
    count += inside;
  }
  RC_ASSERT(count == times.size());
  RC_ASSERT(buckets.size() <= 64u);
  if (buckets.empty()) return;
  RC_ASSERT(buckets.front().count > 0u);
  RC_ASSERT(buckets.back().count > 0u);
}

}  // namespace

TEST_CASE("distribution: every time is in its bucket, whatever the spread") {
  CHECK(rc::check([](const std::vector<std::pair<uint32_t, uint8_t>>& parts) {
    Scene scene({0}, {-1});
    uint64_t now = 1000;
    std::vector<uint64_t> times;
    for (const auto& [value, shift] : parts) {
      times.push_back(uint64_t(value) >> shift % 32);
      scene.feed(0, {in(0, 900, now), out(0, 900, now + times.back())});
      now += times.back() + 1;
    }
    for (const Filter& filter : {Filter{}, Filter{{}, {0}, {}, 0}})  // totals, executions
      check_buckets(distribution(scene.store, scene.checkpoint(now), scene.model, {0, now}, filter),
                    times);
  }));
}

TEST_CASE("distribution: a window counts the executions that ended in it and pass") {
  CHECK(rc::check([](uint16_t at, uint16_t span, uint8_t component, uint8_t shortest) {
    const RandomRun s(*random_script(400));
    const uint64_t begin = at % (s.now + 1);
    const Window window{begin, begin + span};
    Filter filter;
    filter.operations = {component % trace::Simulator::kOperations};
    filter.min_duration_ns = shortest % 50;
    std::vector<uint64_t> times;
    const history::Checkpoint checkpoint = s.checkpoint(s.now);
    for (const trace::Execution& e : s.closed) {
      const uint64_t raw = e.end_ns - e.start_ns;
      const bool in_window =
          e.end_ns >= begin && (e.end_ns < begin + span || begin + span >= s.now);
      if (in_window && e.op == filter.operations[0] && !(e.flags & trace::kEntryOnly) &&
          raw >= filter.min_duration_ns)
        times.push_back(raw);
    }
    check_buckets(distribution(s.store, checkpoint, s.model, window, filter), times);
  }));
}

TEST_CASE("distribution: times from 1 ns to hours still fit a panel") {
  Scene scene({0}, {-1});
  uint64_t now = 0;
  for (int shift = 0; shift < 45; ++shift) {
    scene.feed(0, {in(0, 900, now), out(0, 900, now + (uint64_t(1) << shift))});
    now += (uint64_t(1) << shift) + 1;
  }
  const auto buckets = distribution(scene.store, scene.checkpoint(now), scene.model, {0, now});
  CHECK(buckets.size() >= 40);
  CHECK(buckets.size() <= 64);
  CHECK(buckets.front().from_ns == 1);
}
