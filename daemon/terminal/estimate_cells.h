// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "snapshot/component.h"
#include "text/table.h"

// How tables show estimates.
namespace compmond::terminal {

// "1.25 s", "≥1.25 s", or "<12 ms" where few samples tell no more.
text::Cell time_cell(const snapshot::Estimated& e, snapshot::TimeOf time);
// Whether a part of a time is only known to be less than that time itself, which is seen.
bool tells_nothing(const snapshot::Figures& of, snapshot::TimeOf part);
// Half of the interval, relative to the value: "±4.2 %".
text::Cell spread_cell(const snapshot::Estimated& e, snapshot::TimeOf time);

}  // namespace compmond::terminal
