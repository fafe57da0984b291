// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plan/planner.h"
#include "spec/model.h"
#include "uprobe_sites/finder.h"

// The risk check: how the exits of a function may be observed without harm (docs/decisions/0001).
namespace compmond::uprobe {

// Why a replaced return address could do harm to functions of `image`, for people; empty: nothing
// speaks against it. `all` are the target's images, `image` among them.
std::string return_probe_risk(const plan::Candidate& image,
                              const std::vector<plan::Candidate>& all);

// Likewise of an image that a target loads later, to functions of all others.
plan::LaterRisk later_risk(const plan::Candidate& later);

struct ExitChoice {
  bool refused = false;
  spec::ExitMode mode = spec::ExitMode::kReturnProbe;
  std::string reason;  // why refused, or what a reader should know
};
// `risk` as from return_probe_risk.
ExitChoice choose_exit(spec::ExitMode wanted, const FunctionSites& sites, const std::string& risk);

}  // namespace compmond::uprobe
