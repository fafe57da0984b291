// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "snapshot/snapshot.h"

// What hotness is, in words: the same in the terminal and in the window.
namespace compmond::snapshot {

RankedFigure ranked_figure(const Snapshot& snapshot);
// Of the length of the window of which figures are known: "1.25 %".
std::string share_of_window(const Snapshot& snapshot, double ns);
// What 100 is: "hotness 100 = 1.90 s of 5.00 s". Where nothing is hot, why.
std::string heat_text(const Snapshot& snapshot);
// What is too little to be hot: "below 1.00 % of a CPU: no heat". Empty where nothing is, and where
// that is why nothing is hot.
std::string floor_text(const Snapshot& snapshot);

}  // namespace compmond::snapshot
