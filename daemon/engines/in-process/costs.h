// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/cost.h"

namespace compmond::inprocess {

// What an observed call is expected to cost; nothing of it is measured on this machine.
plan::Costs expected_costs();

// Where they are from, for people: behind the figure. The others: calibration.h.
inline constexpr const char* kMeasuredFrom =
    "measured on this machine, where caches are warm (some twice as much where they are not)";
inline constexpr const char* kExpectedFrom =
    "as a prototype took on another machine (entry and exit 24 to 35 ns, some 50 ns where caches "
    "are cold); nothing of that was measured here";

}  // namespace compmond::inprocess
