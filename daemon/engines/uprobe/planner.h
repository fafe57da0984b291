// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "elf/image.h"
#include "plan/planner.h"
#include "uprobe_exits/call_graph.h"
#include "uprobe_exits/exit_choice.h"
#include "uprobe_exits/linked_images.h"
#include "uprobe_sites/finder.h"

namespace compmond::uprobe {

// Where the kernel's probes go: the cheapest place for the entry (how-it-works.md, Placement), and
// the exit mode by the risk check. A way's `site` is the word for its SiteKind.
class Planner : public plan::Planner {
 public:
  // `returns_reach_all`: of the way to attach (attach_kind.h).
  explicit Planner(const std::vector<plan::Candidate>& candidates, bool returns_reach_all = false);
  std::vector<plan::Way> plan(const plan::Wanted& wanted) override;

 private:
  plan::Way way(const plan::Wanted& wanted, const FunctionSites& sites,
                const ExitChoice& exit) const;
  SiteFinder& finder(size_t image);
  const std::string& image_risk(size_t image);
  std::string risk(const plan::Wanted& wanted);
  std::string risk_to_strangers(const plan::Wanted& wanted, const FunctionSites& sites) const;

  const std::vector<plan::Candidate>& candidates_;
  const std::string hindrance_;  // of any of them
  const bool returns_reach_all_;
  std::vector<std::unique_ptr<SiteFinder>> finders_;
  std::map<size_t, std::string> risks_;
  LinkedImages linked_;
  CallGraph graph_;
};

}  // namespace compmond::uprobe
