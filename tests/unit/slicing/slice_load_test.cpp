// SPDX-License-Identifier: Apache-2.0
#include "slicing/slice_load.h"

#include <doctest/doctest.h>

using namespace compmond::run;
using compmond::plan::See;

namespace {

constexpr uint64_t kMs = 1'000'000;

// A slice of 50 ms with probes of 1 µs at two operations.
SliceLoad load(const ThreadTimes& before, const ThreadTimes& after,
               const std::vector<compmond::pipeline::SliceThread>& callers) {
  const std::vector<bool> attached{true, true};
  const Loads loads({{1000, 1000}, {100, 100}});
  return load_of({attached, See::kCalls, {0, 50 * kMs}, before, after}, callers, loads);
}

}  // namespace

TEST_CASE("slice load: what probes took of each thread's time") {
  const SliceLoad of = load({{{1, 1}, 7 * kMs}, {{1, 2}, 0}},
                            {{{1, 1}, 47 * kMs}, {{1, 2}, 10 * kMs}}, {{1, 1, {10'000, 0}}});
  CHECK(of.seen.cpu_ns == 50e6);
  CHECK(of.probes_ns == 10e6);
  REQUIRE(of.threads.size() == 2);
  CHECK(of.threads[0].cpu_ns == 40e6);
  CHECK(of.threads[0].probes_ns == 10e6);
  CHECK(of.threads[1].probes_ns == 0);
  CHECK(of.seen.calls == std::vector<uint64_t>{10'000, 0});
  CHECK(of.seen.worst_per_s[0] == doctest::Approx(250'000));
}

TEST_CASE("slice load: no thread used more than the slice's time, whatever its clock says") {
  // Its process had other threads at the begin, and the clock of all of it is read at the end.
  const SliceLoad of = load({{{1, 1}, 7 * kMs}}, {{{1, 1}, 90'000 * kMs}}, {{1, 1, {10'000, 0}}});
  CHECK(of.seen.cpu_ns == 50e6);
  CHECK(of.threads[0].cpu_ns == 50e6);
}

TEST_CASE("slice load: one that ended meanwhile may have used all of the slice") {
  const SliceLoad of = load({{{1, 1}, 7 * kMs}}, {}, {{1, 1, {10'000, 0}}});
  CHECK(of.threads[0].cpu_ns == 50e6);
  CHECK(of.probes_ns == 10e6);
}

TEST_CASE("slice load: what seems to take more than there was took all of it") {
  CHECK(load({{{1, 1}, 0}}, {{{1, 1}, 5 * kMs}}, {{1, 1, {10'000, 0}}}).probes_ns == 5e6);
}

TEST_CASE("slice load: threads with little of the CPU time say nothing of the worst") {
  const SliceLoad of =
      load({}, {{{1, 1}, 50 * kMs}, {{1, 2}, 1 * kMs}}, {{1, 1, {5'000, 0}}, {1, 2, {1'000, 0}}});
  CHECK(of.seen.worst_per_s[0] == doctest::Approx(100'000));
  CHECK(of.seen.calls[0] == 6'000);
}
