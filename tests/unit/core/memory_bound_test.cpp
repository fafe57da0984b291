// SPDX-License-Identifier: Apache-2.0
#include "core/memory_bound.h"

#include <doctest/doctest.h>

#include <vector>

#include "core/limits.h"

using namespace compmond;

TEST_CASE("memory bound: what the process has counts, what it maps of files does not") {
  CHECK(MemoryBound(1).reached());
  CHECK_FALSE(MemoryBound(SIZE_MAX).reached());
  const MemoryBound bound(256u << 20);
  REQUIRE_FALSE(bound.reached());
  const std::vector<char> taken(256u << 20, 'x');
  CHECK(bound.reached());
  CHECK(taken.back() == 'x');
}

TEST_CASE("memory bound: logs get no more than there is, and what was asked for beside it") {
  CHECK(MemoryBound::of_machine().bytes() <= limits::kLogMemoryBytes);
  CHECK(MemoryBound::of_machine(5).bytes() == MemoryBound::of_machine().bytes() + 5);
}
