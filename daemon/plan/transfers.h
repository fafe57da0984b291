// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/transfer.h"
#include "elf/image.h"
#include "plan/plan.h"
#include "plan/planner.h"

namespace compmond::plan {

// A function that transfers control without a return.
struct TransferPlace {
  Transfer kind = Transfer::kThrow;
  size_t image = 0;  // index in the candidates
  const elf::Symbol* function = nullptr;
};

// Those by which functions of the plan may be left, each once, by image and address: the unwinder's
// where an image with a timed operation unwinds, what jumps where some image asks for it, and what
// switches stacks (Candidate::switching). Found by their names, also where an image holds a copy of
// its own. Functions that are observed themselves are left out, as their entries tell the same.
std::vector<TransferPlace> find_transfers(const Plan& plan,
                                          const std::vector<Candidate>& candidates);

// Marks the exits that are jumps to other functions of the plan, whose ends may be observed, by
// whatever engine: ExitPlace::to_observed. What jumps there goes on until these return; where they
// are not observed after all, it ended at the jump.
void mark_jumps(Plan& plan);

}  // namespace compmond::plan
