// SPDX-License-Identifier: Apache-2.0
#include "plan/strangers.h"

#include <doctest/doctest.h>

using namespace compmond;

namespace {

plan::Plan plan_of_two_files() {
  plan::Plan out;
  out.images.emplace_back().path = "/bin/app";
  out.images.emplace_back().path = "/lib/libx.so";
  for (const int image : {0, 1, 1}) out.operations.emplace_back().image = image;
  return out;
}

}  // namespace

TEST_CASE("strangers: of none nothing is said") {
  CHECK(plan::note_of({}, plan_of_two_files()).empty());
  CHECK(plan::note_of({{0, 0, 0}, {0, 0, 0}, 0, false}, plan_of_two_files()).empty());
}

TEST_CASE("strangers: the note says how many run with probes, where, and what it costs them") {
  const plan::Plan plan = plan_of_two_files();
  const std::string one = plan::note_of({{0, 1, 0}, {0, 5e6, 0}, 1, false}, plan);
  CHECK(
      one.starts_with("a process that is not observed runs with probes in /lib/libx.so: 1 call, "
                      "which took some 5 ms of their time"));
  const std::string more = plan::note_of({{3, 2, 1}, {1e6, 1e6, 1e6}, 1024, true}, plan);
  CHECK(
      more.starts_with("at least 1024 processes that are not observed run with probes in "
                       "/bin/app, /lib/libx.so: 6 calls, which took some 3 ms"));
}

TEST_CASE("strangers: what they paid since then is at the cost in use now") {
  const plan::Strangers then{{10'000, 0}, {1e7, 0}, 1, false};
  const plan::Strangers now{{10'100, 0, 5}, {10'100 * 3000.0, 0, 50}, 1, false};  // 1 µs was 3
  CHECK(now.calls_since(0, then) == 100);
  CHECK(now.cost_since_ns(0, then) == doctest::Approx(300'000));
  CHECK(now.cost_since_ns(1, then) == 0);
  CHECK(now.cost_since_ns(2, then) == doctest::Approx(50));
  CHECK(now.calls_since(3, then) == 0);
}
