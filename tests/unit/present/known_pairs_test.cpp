// SPDX-License-Identifier: Apache-2.0
#include "pairs/known_pairs.h"

#include <doctest/doctest.h>

#include <vector>

using namespace compmond;

TEST_CASE("known pairs: slices of two kinds that take turns are all known, of many slices too") {
  counts::SliceStore store;
  constexpr uint64_t kSlices = 200, kStep = 500'000'000, kLong = 50'000'000;
  for (uint64_t i = 0; i < kSlices; ++i) {
    counts::Slice slice;
    slice.start_ns = i * kStep;
    slice.end_ns = slice.start_ns + kLong;
    slice.attached =
        i % 2 == 0 ? std::vector<bool>{true, true, false} : std::vector<bool>{true, false, true};
    store.add(slice);
  }
  const std::vector<Window> times = {{0, kSlices * kStep}};
  const present::KnownPairs known(store, times, {});
  CHECK(known.had(1).seen >= counts::kEnoughSlices);
  CHECK(known.had(2).seen >= counts::kEnoughSlices);
  CHECK(known.had(0).seen == known.had(1).seen + known.had(2).seen);
}
