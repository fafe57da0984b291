// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "counts/rows.h"

namespace compmond::counts {

// The way of counting that tells most of an item, and what it tells.
struct Choice {
  Counting counting;
  double value = 0;
  Strata per_input{};     // value = Σ of it × inputs of the window
  double half_width = 0;  // of the 95 % interval, as a part of value
};

// Among descriptors and sizes, all calls and those of complete cycles: the one with the smallest
// error. How far others that are nearly as good differ from it is part of its interval, and so is
// how many inputs of the window are new in the other way: of a new client whose inputs are as long
// as others' sizes know nothing. How much counting slowed is added to it, not to its square: it
// errs to one side in all of a run. Nothing where too many inputs of the window are of kinds that
// no slice has, or too few calls were seen.
std::optional<Choice> choose(std::span<const AddedUp* const> slices, Item item,
                             const RunInputs& window);

}  // namespace compmond::counts
