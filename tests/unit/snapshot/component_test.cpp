// SPDX-License-Identifier: Apache-2.0
#include "snapshot/component.h"

#include <doctest/doctest.h>

using namespace compmond::snapshot;

namespace {

// A group with a part of which slices tell, and another that was seen all the time.
std::vector<Component> parts() {
  std::vector<Component> out(3);
  out[0].name = "Group";
  out[0].subtree.calls = 25;
  out[1].name = "Group/Dear";
  out[1].figures.calls = 20;
  out[1].figures.at_least = true;
  out[1].figures.observed_share = 0.01;
  out[1].figures.estimated.emplace().calls = CallsEstimate{1000, 980, 1020};
  out[2].name = "Group/Calm";
  out[2].figures.calls = 5;
  return out;
}

}  // namespace

TEST_CASE("component: calls of a group are the sum of what slices tell and of what was seen") {
  const std::vector<Component> all = parts();
  const Figures sum = figures_within(all, all[0]);
  REQUIRE(estimated_calls(sum));
  CHECK(*estimated_calls(sum) == CallsEstimate{1005, 985, 1025});
}

TEST_CASE("component: where slices do not tell of one that was away a group has what was seen") {
  std::vector<Component> all = parts();
  all[2].figures.at_least = true;
  all[2].figures.observed_share = 0.2;
  const Figures some = figures_within(all, all[0]);
  CHECK_FALSE(estimated_calls(some));
  CHECK(some.calls == 985);  // at least, so that no part has more than the whole
  CHECK(some.at_least);
  all[2].figures.observed_share = 0.998;  // missed for a moment
  CHECK(estimated_calls(figures_within(all, all[0])));
}
