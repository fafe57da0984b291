// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plan/planner.h"

// Which images give their threads other stacks, by what they import and by their code
// (Candidate::switching).
namespace compmond::plan {

// "libx.so switches stacks (co_switch)"; empty where nothing shows it.
std::string stack_switches_of(const Candidate& image);

// The same of an image that does so to frames of every image: fibers run any function. Empty for
// those that do it only for callers who ask for it.
std::string common_stack_switches_of(const Candidate& image);

// Whether threads of the target are to be expected on several stacks.
bool switches_stacks(const std::vector<Candidate>& all);

}  // namespace compmond::plan
