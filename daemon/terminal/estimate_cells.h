// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "snapshot/component.h"
#include "text/table.h"

// How tables show estimates.
namespace compmond::terminal {

// As snapshot::value_text, and quiet where that is no value.
text::Cell time_cell(const snapshot::Estimated& e, snapshot::TimeOf time);
// Whether a part of a time is only known to be less than that time itself, which is seen.
bool tells_nothing(const snapshot::Figures& of, snapshot::TimeOf part);
// As snapshot::spread_text.
text::Cell spread_cell(const snapshot::Estimated& e, snapshot::TimeOf time);

}  // namespace compmond::terminal
