// SPDX-License-Identifier: Apache-2.0
#include "plan/cost.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

using namespace compmond;
using code::SiteKind;
using plan::CostTable;
using plan::ExitMode;

TEST_CASE("cost: exit modes are called as in the spec") {
  CHECK(std::string(to_text(ExitMode::kReturnProbe)) == "return-probe");
  CHECK(std::string(to_text(ExitMode::kRetSites)) == "ret-sites");
  CHECK(std::string(to_text(ExitMode::kEntryOnly)) == "entry-only");
}

TEST_CASE("cost: typical costs are not measured, and order sites and modes as the kernel does") {
  const CostTable table = CostTable::typical();
  CHECK_FALSE(table.measured());
  for (const auto mode : {ExitMode::kReturnProbe, ExitMode::kRetSites, ExitMode::kEntryOnly}) {
    CHECK(table.at(SiteKind::kNop5, mode).total_ns() < table.at(SiteKind::kPush, mode).total_ns());
    CHECK(table.at(SiteKind::kPush, mode).total_ns() == table.at(SiteKind::kJump, mode).total_ns());
    CHECK(table.at(SiteKind::kJump, mode).total_ns() <
          table.at(SiteKind::kStepped, mode).total_ns());
  }
  for (const auto site :
       {SiteKind::kNop5, SiteKind::kNop, SiteKind::kPush, SiteKind::kJump, SiteKind::kStepped}) {
    const auto entry = table.at(site, ExitMode::kEntryOnly),
               both = table.at(site, ExitMode::kReturnProbe);
    CHECK(entry.inside_ns == 0);
    CHECK(entry.total_ns() < both.total_ns());
    CHECK(both.total_ns() < table.at(site, ExitMode::kRetSites).total_ns());
    CHECK(both.inside_ns > 0);
    CHECK(both.outside_ns > 0);
  }
}

TEST_CASE(
    "cost: a cost that was set is read back at its place alone, and marks the table as measured") {
  CostTable table;
  table.set(SiteKind::kPush, ExitMode::kRetSites, {1, 2});
  CHECK(table.measured());
  CHECK(table.at(SiteKind::kPush, ExitMode::kRetSites).total_ns() == 3);
  CHECK(table.at(SiteKind::kPush, ExitMode::kReturnProbe).total_ns() == 0);
  CHECK(table.at(SiteKind::kJump, ExitMode::kRetSites).total_ns() == 0);
}
