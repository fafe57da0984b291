// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "snapshot/component.h"
#include "text/table.h"

// How tables show estimates.
namespace compmond::terminal {

// As snapshot::value_text, and quiet where that is no value.
text::Cell time_cell(const snapshot::Estimated& e, snapshot::TimeOf time);
// As snapshot::spread_text.
text::Cell spread_cell(const snapshot::Estimated& e, snapshot::TimeOf time);

}  // namespace compmond::terminal
