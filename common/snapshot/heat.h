// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/heat.h"
#include "base/words.h"

// What a snapshot tells of its hotness.
namespace compmond::snapshot {

using compmond::HeatScale;
using compmond::RankedFigure;

// Values are ns or, of kCalls and kMissed, counts.
struct Heat {
  Word<HeatScale> scale = HeatScale::kWindow;  // that could be kept to
  Word<RankedFigure> ranks = RankedFigure::kReal;
  double full = 0;   // what 100 is; 0: there is nothing
  double cold = 0;   // what 0 is, where that is not nothing
  double floor = 0;  // below it nothing is hot; 0: there is none
  bool operator==(const Heat&) const = default;
};

}  // namespace compmond::snapshot
