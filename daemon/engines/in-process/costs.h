// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/cost.h"

namespace compmond::inprocess {

// What an observed call is expected to cost; nothing of it is measured on this machine.
plan::Costs expected_costs();

// Where these are from, for people: behind the figure.
inline constexpr const char* kExpectedFrom =
    "as a prototype took on another machine (entry and exit 24 to 35 ns, some 50 ns where caches "
    "are cold); nothing of that was measured here";

}  // namespace compmond::inprocess
