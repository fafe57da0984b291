// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "counts/rows.h"

// Whether the calls per input depend on how much a slice slows the program: if so, slices say
// nothing of the time between them.
namespace compmond::counts {

enum class Verdict : uint8_t { kHolds, kDrifts, kVague };

struct Tested {
  Verdict verdict = Verdict::kVague;
  // Logarithms: how much the estimate would change at a slow-down of 1, and the error of that.
  double drift = 0, error = 0;
  Strata weights{};        // which part of the calls seen is in each stratum
  double calls = 0;        // seen
  bool by_itself = false;  // what happens in the same strata says nothing of it
};

// Two tests of one item. That of more against less slowed slices is one of equivalence: what holds
// is known to change by less than a tenth, so that little data is no pass. That of the first part
// of slices against the later one finds what changed before the first call could be seen.
Tested test(std::span<const AddedUp* const> slices, Item item, Counting counting,
            const RunInputs& window);

// What had too little data for a verdict is judged together with what happens in the same strata,
// taken as fully correlated; not where a part of that drifts. All were tested by the same strata.
void pool(std::vector<Tested*> tested);

}  // namespace compmond::counts
