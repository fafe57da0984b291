// SPDX-License-Identifier: Apache-2.0
#include "plan/cost.h"

#include <doctest/doctest.h>

using namespace compmond;
using plan::Costs;
using spec::ExitMode;

TEST_CASE("costs: one that was set is read back at its engine, place and exit alone") {
  Costs costs;
  costs.set("one", "push", ExitMode::kRetSites, {1, 2});
  CHECK(costs.at("one", "push", ExitMode::kRetSites).total_ns() == 3);
  plan::Way way;
  way.engine = "one";
  way.site = "push";
  way.exit = ExitMode::kRetSites;
  CHECK(costs.at(way).inside_ns == 1);
  CHECK(costs.at("one", "push", ExitMode::kReturnProbe).total_ns() == 0);
  CHECK(costs.at("one", "jump", ExitMode::kRetSites).total_ns() == 0);
  CHECK(costs.at("other", "push", ExitMode::kRetSites).total_ns() == 0);
}

TEST_CASE("costs: those of several engines stand side by side, measured only if all are") {
  Costs all;
  CHECK(all.measured());
  Costs other(false);
  other.set("other", "push", ExitMode::kRetSites, {1, 2});
  all.set("one", "push", ExitMode::kRetSites, {3, 4});
  all.add(other);
  CHECK(all.at("one", "push", ExitMode::kRetSites).total_ns() == 7);
  CHECK(all.at("other", "push", ExitMode::kRetSites).total_ns() == 3);
  CHECK_FALSE(all.measured());
}

TEST_CASE("costs: a transfer costs what the first engine that can see it takes, as its log says") {
  Costs costs;
  costs.set("one", "push", ExitMode::kEntryOnly, {0, 1000});
  costs.set("other", "short", ExitMode::kEntryOnly, {0, 1100});
  plan::Way first, dearer;
  first.engine = "one";
  first.site = "push";
  dearer.engine = "other";
  dearer.site = "short";
  first.exit = dearer.exit = ExitMode::kEntryOnly;
  plan::Plan plan;
  plan.transfers = {{Transfer::kThrow, -1, "_Unwind_RaiseException", {first, dearer}}};
  uint64_t counts[kTransfers] = {};
  counts[size_t(Transfer::kThrow)] = 5;
  CHECK(plan::transfers_ns(plan, costs, counts) == 5000);
  plan.transfers[0].ways[0].refused = true;
  CHECK(plan::transfers_ns(plan, costs, counts) == 5500);
  plan.transfers[0].ways[1].refused = true;
  CHECK(plan::watched_by(plan.transfers[0]) == nullptr);
  CHECK(plan::transfers_ns(plan, costs, counts) == 0);
}
