// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "estimate/estimates.h"
#include "samples.h"

using namespace compmond;
using namespace compmond::estimate;
using namespace compmond::estimate::samples;

// Operations 0 (which only waits) and 1 are component 0, that contains component 1 with operations
// 2 and 3 (which only waits).
TEST_CASE("waiting: what only waits is no working time of its component, nor of what contains it") {
  Model model = flat_model(4);
  model.parent_of = {-1, 0};
  for (const int op : {0, 1, 2, 3}) {
    model.operations[size_t(op)].component = op / 2;
    model.operations[size_t(op)].waits = op == 0 || op == 3;
  }
  Fed fed(model);
  for (uint64_t i = 0; i < 100; ++i) fed.on(i * kMs, {int(i / 10 % 4)});
  fed.off(700 * kMs, {0}, 300 * kMs, 300 * kMs);
  fed.off(800 * kMs, {1}, 50 * kMs, 50 * kMs);
  fed.stretch(0, kSecond, 100, kSecond);
  const Estimates e(fed.store, {});
  CHECK(e.operation(0).own.all.value_ns > 500e6);
  CHECK(e.operation(0).working.value_ns == 0);
  CHECK(e.operation(0).working.high_ns == 0);
  CHECK(e.operation(1).working.value_ns == e.operation(1).own.all.value_ns);
  CHECK(e.component(0).working.value_ns == doctest::Approx(e.operation(1).own.all.value_ns));
  CHECK(e.component(0).own.all.value_ns ==
        doctest::Approx(e.operation(0).own.all.value_ns + e.operation(1).own.all.value_ns));
  CHECK(e.component(1).working.value_ns == doctest::Approx(e.operation(2).own.all.value_ns));
  CHECK(e.subtree(0).working.value_ns ==
        doctest::Approx(e.operation(1).own.all.value_ns + e.operation(2).own.all.value_ns));
  CHECK(e.component(0).working.low_ns < e.component(0).working.value_ns);
}

TEST_CASE("waiting: where nothing only waits all own time is working time") {
  Fed fed(1);
  for (uint64_t i = 0; i < 100; ++i) fed.on(i * kMs, {0});
  fed.stretch(0, kSecond, 100, kSecond);
  const Estimates e(fed.store, {});
  for (const Figures& f : {e.operation(0), e.component(0), e.subtree(0)})
    CHECK(f.working.high_ns == f.own.all.high_ns);
}
