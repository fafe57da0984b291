// SPDX-License-Identifier: Apache-2.0
#include "figures/cost_check.h"

#include <doctest/doctest.h>

#include <vector>

using namespace compmond;
using namespace compmond::figures;

namespace {

// The n-th interval; `half` of the 95 % interval.
CostShares shares(uint64_t n, double by_costs, double by_samples, double half = 0.01) {
  return {{n * 10, n * 10 + 10}, by_costs, by_samples, by_samples - half, by_samples + half};
}

bool doubts(const std::vector<CostShares>& all) { return check_costs(all)->doubt; }

}  // namespace

TEST_CASE("cost check: chance, two points, and what samples cannot see are no difference") {
  CHECK(apart(shares(0, 0.10, 0.119)) == 0);  // within 4 standard errors
  CHECK(apart(shares(0, 0.10, 0.122)) == 1);
  CHECK(apart(shares(0, 0.10, 0.119, 0.001)) == 0);  // within two points
  CHECK(apart(shares(0, 0.10, 0.121, 0.001)) == 1);
  CHECK(apart(shares(0, 0.60, 0.44, 0.001)) == 0);  // a quarter of it
  CHECK(apart(shares(0, 0.60, 0.42, 0.001)) == -1);
}

TEST_CASE("cost check: only two in a row to one side are doubted") {
  const CostShares fine = shares(0, 0.2, 0.2), more = shares(1, 0.2, 0.3);
  CHECK_FALSE(check_costs({}));
  CHECK_FALSE(doubts({more}));
  CHECK_FALSE(doubts({fine, more}));
  CHECK_FALSE(doubts({more, shares(2, 0.2, 0.2), shares(3, 0.2, 0.3)}));
  CHECK_FALSE(doubts({more, shares(2, 0.4, 0.2)}));
  CHECK_FALSE(doubts({more, shares(3, 0.2, 0.3)}));  // something is between them
  CHECK(doubts({more, shares(2, 0.2, 0.3)}));
  const auto check = check_costs(std::vector{more, shares(2, 0.2, 0.3), shares(3, 0.2, 0.2)});
  CHECK(check->doubt);
  CHECK(check->intervals == 3);
  CHECK(check->apart == 2);
  CHECK(check->factor == doctest::Approx(1.5));
  CHECK(check->newest.interval.start_ns == 30);
}

TEST_CASE("cost check: a time is off by what was taken out of it and by how wrong that is") {
  CostCheck check;
  check.factor = 2;
  CHECK_FALSE(is_off(check, 1000, 500));  // nothing is doubted
  check.doubt = true;
  CHECK(is_off(check, 1000, 500));
  CHECK(is_off(check, 1000, 970));
  CHECK_FALSE(is_off(check, 1000, 990));
  CHECK_FALSE(is_off(check, 1000, 1000));
  check.factor = 0.5;
  CHECK(is_off(check, 1000, 950));
  CHECK_FALSE(is_off(check, 1000, 970));
}
