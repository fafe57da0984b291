// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "estimate/inside.h"
#include "samples.h"

using namespace compmond::estimate;
using namespace compmond::estimate::samples;

TEST_CASE("store: readers see whole stretches while the writer goes on") {
  SampleStore::Options options;
  options.tiles_bytes = options.recent_bytes = options.stacks_bytes = 100'000;
  Fed fed(3, options);
  std::atomic<bool> done = false;
  std::atomic<uint64_t> looked = 0, torn = 0;
  const auto look = [&] {
    for (; !done; ++looked) {
      const WindowSums all = fed.store.sums({});
      if (all.totals.samples.on_samples % 10 != 0) ++torn;
      if (all.totals.cpu_ns != all.totals.time_ns) ++torn;
      inside(fed.store, {Part::Kind::kComponent, 1}, {20 * kSecond, 40 * kSecond});
      Estimates(fed.store, {all.end_ns / 3, all.end_ns / 2}).threads();
      fed.store.counts();
    }
  };
  std::thread readers[] = {std::thread(look), std::thread(look)};
  uint64_t s = 0;
  for (; s < 300 || looked < 20; ++s) {
    for (uint64_t i = 0; i < 10; ++i)
      fed.on(s * kSecond + i * 90 * kMs, {int(i % 3), int(s % 3)}, uint32_t(s % 50));
    fed.off(s * kSecond + 950 * kMs, {0}, s % 5 * kSecond, s % 5 * kSecond + 1);
    fed.store.on_function({compmond::sampling::kFirstFile, s * 256, s * 256 + 256, "f"});
    fed.stretch(s * kSecond, (s + 1) * kSecond, 10, kSecond);
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(torn == 0);
  CHECK(fed.store.sums({}).totals.samples.on_samples == s * 10);
}
