// SPDX-License-Identifier: Apache-2.0
#include "terminal/estimate_cells.h"

#include "snapshot/estimate_text.h"

namespace compmond::terminal {

using snapshot::Estimated;
using text::Cell;
using text::Ink;

Cell time_cell(const Estimated& e, snapshot::TimeOf time) {
  return {value_text(e, time), !is_value(e, time)  ? Ink::kQuiet
                               : at_least(e, time) ? Ink::kAmber
                                                   : Ink::kPlain};
}

Cell spread_cell(const Estimated& e, snapshot::TimeOf time) {
  return {spread_text(e, time), Ink::kQuiet};
}

}  // namespace compmond::terminal
