// SPDX-License-Identifier: Apache-2.0
#include "stacks/stack_table.h"

#include <doctest/doctest.h>

using namespace compmond;
using namespace compmond::estimate;
using sampling::Ended;
using sampling::Frame;

namespace {

struct Table {
  explicit Table(size_t bytes) : stacks(bytes) {}
  StackId put(std::vector<Frame> frames, Ended ended = Ended::kComplete) {
    return stacks.intern(frames, ended, attribution).id;
  }
  Attribution attribution{Model{}};
  StackTable stacks;
};

}  // namespace

TEST_CASE("stack table: each distinct stack is kept once") {
  Table t(1 << 20);
  const StackId a = t.put({{3, 1}, {3, 2}}), b = t.put({{3, 2}, {3, 1}});
  CHECK(a != b);
  CHECK(t.put({{3, 1}, {3, 2}}) == a);
  CHECK(t.put({{3, 1}, {3, 2}}, Ended::kTruncated) != a);
  CHECK(t.put({}) != t.put({{0, 0}}));
  CHECK(t.stacks.size() == 5);
  REQUIRE(t.stacks.find(a));
  CHECK(t.stacks.find(a)->frames == std::vector<Frame>{{3, 1}, {3, 2}});
  CHECK(t.stacks.find(a)->attributed->own.size() == 2);
}

TEST_CASE(
    "stack table: what was met longest ago is forgotten, and has its number when it is back") {
  Table t(6000);
  const StackId often = t.put({{3, 1}}), once = t.put({{3, 2}});
  for (uint64_t i = 0; i < 100; ++i) {
    t.put({{3, 100 + i}});
    t.put({{3, 1}});
    CHECK(t.stacks.memory_bytes() <= 6000);
  }
  CHECK(t.stacks.find(often));
  CHECK_FALSE(t.stacks.find(once));
  CHECK(t.stacks.forgotten() + t.stacks.size() == 102);
  CHECK(t.put({{3, 2}}) == once);
}

TEST_CASE("stack table: a million distinct stacks stay within their bytes") {
  constexpr size_t kBytes = 8 << 20;
  Table t(kBytes);
  size_t most = 0;
  std::vector<Frame> frames(12);
  for (uint64_t i = 0; i < 1'000'000; ++i) {
    for (size_t f = 0; f < frames.size(); ++f) frames[f] = {3, i * (f + 1)};
    t.put(frames);
    most = std::max(most, t.stacks.memory_bytes());
  }
  CHECK(most <= kBytes);
  CHECK(t.stacks.size() > 5000);
  CHECK(t.stacks.forgotten() == 1'000'000 - t.stacks.size());
}
