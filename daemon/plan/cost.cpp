// SPDX-License-Identifier: Apache-2.0
#include "plan/cost.h"

namespace compmond::plan {
namespace {

// One trap and program run, by entry site, and what a return adds; ns. Measured on a current
// machine, with single-stepping at what it takes on bare metal (the kernel's own benchmark); inside
// a virtual machine that is up to 30 times as much.
constexpr double kNop5 = 205, kEmulated = 437, kStepped = 1000;
constexpr double kReturn = 230;  // the kernel's return trampoline and the second program run
// Of an entry and return, what falls between the two time stamps (the tail of the entry, the head
// of the return).
constexpr double kInsideNop5 = 257, kInsideOther = 312;

double entry_ns(code::SiteKind site) {
  switch (site) {
    case code::SiteKind::kNop5:
      return kNop5;
    case code::SiteKind::kNop:
    case code::SiteKind::kPush:
    case code::SiteKind::kJump:
      return kEmulated;
    case code::SiteKind::kStepped:
      return kStepped;
  }
  return kStepped;
}

Cost typical_cost(code::SiteKind site, ExitMode exit) {
  const double entry = entry_ns(site);
  switch (exit) {
    case ExitMode::kEntryOnly:
      return {0, entry};
    case ExitMode::kReturnProbe: {
      const double inside = site == code::SiteKind::kNop5 ? kInsideNop5 : kInsideOther;
      const double stepping = site == code::SiteKind::kStepped ? kStepped - kEmulated : 0;
      return {inside + stepping, entry + kReturn - inside - stepping};
    }
    case ExitMode::kRetSites:
      return {entry, kStepped};  // what precedes the two time stamps is alike
  }
  return {};
}

}  // namespace

CostTable CostTable::typical() {
  CostTable table;
  for (size_t site = 0; site < kSites; ++site)
    for (size_t mode = 0; mode < kModes; ++mode)
      table.costs_[site * kModes + mode] = typical_cost(code::SiteKind(site), ExitMode(mode));
  return table;
}

}  // namespace compmond::plan
