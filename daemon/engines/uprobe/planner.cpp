// SPDX-License-Identifier: Apache-2.0
#include "uprobe/planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "code/scan.h"
#include "text/match.h"

namespace compmond::uprobe {
namespace {

plan::Way refused(std::string reason) {
  plan::Way out;
  out.refused = true;
  out.reason = std::move(reason);
  return out;
}

// Puts the places in: as offsets in the file, which is what the kernel acts on.
Result<void> locate(plan::Way& way, const elf::Image& image, uint64_t site,
                    const FunctionSites& sites) {
  const auto entry = image.file_offset(site);
  if (!entry) return Unexpected(entry.error());
  way.entry_offset = *entry;
  if (way.exit != spec::ExitMode::kRetSites) return {};
  for (size_t i = 0; i < sites.exits.size(); ++i) {
    const code::ExitSite& exit = sites.exits[i];
    const auto offset = image.file_offset(exit.vaddr);
    if (!offset) return Unexpected(offset.error());
    way.exits.push_back(
        {*offset, exit.condition, sites.exit_kinds[i] != SiteKind::kStepped, exit.target});
  }
  return {};
}

}  // namespace

Planner::Planner(const std::vector<plan::Candidate>& candidates, bool returns_reach_all)
    : candidates_(candidates),
      hindrance_(plan::hindrance_in(candidates)),
      returns_reach_all_(returns_reach_all),
      finders_(candidates.size()),
      linked_(candidates),
      graph_(candidates, linked_) {}

// Of a library, whose other users nobody knows. Where it has no other exits to observe, placement
// keeps its return probes to the targets.
std::string Planner::risk_to_strangers(const plan::Wanted& wanted,
                                       const FunctionSites& sites) const {
  const plan::Candidate& image = candidates_[wanted.image];
  if (!returns_reach_all_ || image.main || wanted.exit != spec::ExitMode::kAuto ||
      !sites.exits_complete)
    return {};
  return fmt::format("without sessions (Linux 6.13) return probes reach all programs that map {}",
                     text::leaf(image.path));
}

std::vector<plan::Way> Planner::plan(const plan::Wanted& wanted) {
  const auto sites = finder(wanted.image).find(wanted.function);
  if (!sites)
    return {
        refused(sites.error().why + (sites.error().next.empty() ? "" : ". " + sites.error().next))};
  const std::string own = risk(wanted);
  const std::string risk = own.empty() ? risk_to_strangers(wanted, *sites) : own;
  std::vector<plan::Way> out{way(wanted, *sites, choose_exit(wanted.exit, *sites, risk))};
  plan::Way& first = out.front();
  first.trusts_images = !first.refused && wanted.exit == spec::ExitMode::kAuto &&
                        first.exit == spec::ExitMode::kReturnProbe;
  if (!first.trusts_images) return out;
  first.opening = graph_.opening({wanted.image, wanted.function.vaddr});
  out.push_back(way(wanted, *sites, choose_exit(spec::ExitMode::kRetSites, *sites, {})));
  return out;
}

plan::Way Planner::way(const plan::Wanted& wanted, const FunctionSites& sites,
                       const ExitChoice& exit) const {
  if (exit.refused) return refused(exit.reason);
  plan::Way out;
  out.exit = exit.mode;
  out.reason = exit.reason;
  const bool on_exit =
      exit.mode == spec::ExitMode::kRetSites &&
      std::ranges::count(sites.exits, sites.entry.vaddr, &code::ExitSite::vaddr) > 0;
  const bool may_move = wanted.may_move && !on_exit &&
                        (sites.passed_writes & plan::registers_of(wanted.contexts)) == 0;
  const ProbeSite& site = may_move ? sites.entry : sites.first;
  if (site.kind == SiteKind::kNop5 && !hindrance_.empty())
    return refused("at its 5-byte nop the kernel makes a system call, and " + hindrance_);
  out.needs_calls = site.kind == SiteKind::kNop5 || (exit.mode == spec::ExitMode::kReturnProbe &&
                                                     wanted.exit == spec::ExitMode::kAuto);
  out.site = to_text(site.kind);
  out.moved_by = site.vaddr - wanted.function.vaddr;
  out.may_tail_call =
      !sites.exits_complete || std::ranges::any_of(sites.exits, &code::ExitSite::tail_jump);
  const auto located = locate(out, *candidates_[wanted.image].image, site.vaddr, sites);
  return located ? out : refused(located.error().text());
}

SiteFinder& Planner::finder(size_t image) {
  if (!finders_[image])
    finders_[image] = std::make_unique<SiteFinder>(*candidates_[image].image, hindrance_.empty());
  return *finders_[image];
}

const std::string& Planner::image_risk(size_t image) {
  auto [known, fresh] = risks_.try_emplace(image);
  if (fresh) known->second = return_probe_risk(candidates_[image], candidates_);
  return known->second;
}

std::string Planner::risk(const plan::Wanted& wanted) {
  if (const auto& risk = image_risk(wanted.image); !risk.empty()) return risk;
  const Place function{wanted.image, wanted.function.vaddr};
  if (auto use = graph_.return_address_use(function); !use.empty()) return use;
  const std::string thrower = linked_.thrower_above(wanted.image);
  if (thrower.empty()) return {};
  const std::string opening = graph_.opening(function);
  return opening.empty() ? opening : throws_through(thrower) + ": " + opening;
}

}  // namespace compmond::uprobe
