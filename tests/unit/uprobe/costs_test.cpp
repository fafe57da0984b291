// SPDX-License-Identifier: Apache-2.0
#include "uprobe/costs.h"

#include <doctest/doctest.h>

#include <initializer_list>

#include "uprobe_sites/site.h"

using namespace compmond;
using spec::ExitMode;
using uprobe::SiteKind;

namespace {

plan::Cost at(const plan::Costs& costs, SiteKind site, ExitMode exit) {
  return costs.at("uprobe", to_text(site), exit);
}

}  // namespace

TEST_CASE("costs: typical costs are not measured, and order sites and modes as the kernel does") {
  const plan::Costs table = uprobe::typical_costs();
  CHECK_FALSE(table.measured());
  for (const auto mode : {ExitMode::kReturnProbe, ExitMode::kRetSites, ExitMode::kEntryOnly}) {
    CHECK(at(table, SiteKind::kNop5, mode).total_ns() <
          at(table, SiteKind::kPush, mode).total_ns());
    CHECK(at(table, SiteKind::kPush, mode).total_ns() ==
          at(table, SiteKind::kJump, mode).total_ns());
    CHECK(at(table, SiteKind::kJump, mode).total_ns() <
          at(table, SiteKind::kStepped, mode).total_ns());
  }
  for (const auto site :
       {SiteKind::kNop5, SiteKind::kNop, SiteKind::kPush, SiteKind::kJump, SiteKind::kStepped}) {
    const auto entry = at(table, site, ExitMode::kEntryOnly),
               both = at(table, site, ExitMode::kReturnProbe);
    CHECK(entry.inside_ns == 0);
    CHECK(entry.total_ns() < both.total_ns());
    CHECK(both.total_ns() < at(table, site, ExitMode::kRetSites).total_ns());
    CHECK(both.inside_ns > 0);
    CHECK(both.outside_ns > 0);
  }
}
