// SPDX-License-Identifier: Apache-2.0
#include "history/loss_list.h"

#include <doctest/doctest.h>

using namespace compmond::history;

namespace {

constexpr uint64_t kMs = 1'000'000;

}  // namespace

TEST_CASE("loss list: losses of one millisecond are one entry, late ones find their place") {
  LossList list;
  list.add(5 * kMs + 1, 5 * kMs + 1, 2);
  list.add(9 * kMs, 9 * kMs, 1);
  list.add(5 * kMs + 7, 5 * kMs + 7, 3);
  list.add(2 * kMs, 2 * kMs, 4);
  list.add(7 * kMs, 7 * kMs, 0);
  CHECK(list.all() == std::vector<Loss>{{2 * kMs, 3 * kMs, 4},
                                        {5 * kMs, 6 * kMs, 5},
                                        {7 * kMs, 8 * kMs, 0},
                                        {9 * kMs, 10 * kMs, 1}});
}

TEST_CASE("loss list: spans that overlap are one, neighbours stay two") {
  LossList list;
  list.add(10 * kMs, 20 * kMs - 1, 1);
  list.add(20 * kMs, 30 * kMs - 1, 2);
  list.add(40 * kMs, 50 * kMs, 4);
  CHECK(list.all().size() == 3);
  list.add(15 * kMs, 40 * kMs, 8);
  CHECK(list.all() == std::vector<Loss>{{10 * kMs, 51 * kMs, 15}});
  list.add(9 * kMs, 5 * kMs, 16);  // a clock that ran backwards
  CHECK(list.all().front() == Loss{5 * kMs, 6 * kMs, 16});
}

TEST_CASE("loss list: any number of losses stays bounded, and none is forgotten") {
  LossList list;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < 100'000; ++i) {
    list.add(i * 3 * kMs, i * 3 * kMs, i % 3);
    sum += i % 3;
    REQUIRE(list.all().size() <= LossList::kMost);
  }
  uint64_t found = 0;
  for (size_t i = 0; i < list.all().size(); ++i) {
    const Loss& loss = list.all()[i];
    found += loss.records;
    CHECK(loss.end_ns > loss.start_ns);
    if (i > 0) CHECK(loss.start_ns >= list.all()[i - 1].end_ns);
  }
  CHECK(found == sum);
}
