// SPDX-License-Identifier: Apache-2.0
#include "uprobe/costs.h"

#include "uprobe/way.h"
#include "uprobe_sites/site.h"

namespace compmond::uprobe {
namespace {

// One trap and program run, by entry site, and what a return adds; ns. Measured on a current
// machine, with single-stepping at what it takes on bare metal (the kernel's own benchmark); inside
// a virtual machine that is up to 30 times as much.
constexpr double kNop5 = 205, kEmulated = 437, kStepped = 1000;
constexpr double kReturn = 230;  // the kernel's return trampoline and the second program run
// Of an entry and return, what falls between the two time stamps (the tail of the entry, the head
// of the return).
constexpr double kInsideNop5 = 257, kInsideOther = 312;

double entry_ns(SiteKind site) {
  switch (site) {
    case SiteKind::kNop5:
      return kNop5;
    case SiteKind::kNop:
    case SiteKind::kPush:
    case SiteKind::kJump:
      return kEmulated;
    case SiteKind::kStepped:
      return kStepped;
  }
  return kStepped;
}

plan::Cost whole_cost(SiteKind site, spec::ExitMode exit) {
  const double entry = entry_ns(site);
  switch (exit) {
    case spec::ExitMode::kAuto:
      break;
    case spec::ExitMode::kEntryOnly:
      return {0, entry};
    case spec::ExitMode::kReturnProbe: {
      const double inside = site == SiteKind::kNop5 ? kInsideNop5 : kInsideOther;
      const double stepping = site == SiteKind::kStepped ? kStepped - kEmulated : 0;
      return {inside + stepping, entry + kReturn - inside - stepping};
    }
    case spec::ExitMode::kRetSites:
      return {entry, kStepped};  // what precedes the two time stamps is alike
  }
  return {};
}

plan::Cost typical_cost(SiteKind site, spec::ExitMode exit) {
  plan::Cost out = whole_cost(site, exit);
  if (exit != spec::ExitMode::kEntryOnly)
    out.know_entry(whole_cost(site, spec::ExitMode::kEntryOnly));
  if (exit == spec::ExitMode::kReturnProbe) out.cheap_less_ns = kReturn / 2;
  if (exit == spec::ExitMode::kRetSites) {
    out.cheap_less_ns = kStepped - kEmulated;
    out.stay_ns = kEmulated;  // branches are emulated
  }
  return out;
}

}  // namespace

plan::Costs typical_costs() {
  using spec::ExitMode;
  plan::Costs out(false);
  for (const SiteKind site :
       {SiteKind::kNop5, SiteKind::kNop, SiteKind::kPush, SiteKind::kJump, SiteKind::kStepped})
    for (const ExitMode exit : {ExitMode::kReturnProbe, ExitMode::kRetSites, ExitMode::kEntryOnly})
      out.set(kEngine, to_text(site), exit, typical_cost(site, exit));
  return out;
}

}  // namespace compmond::uprobe
