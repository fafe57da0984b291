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

bool tells_nothing(const snapshot::Figures& of, snapshot::TimeOf part) {
  return !times_estimated(of) && only_bound(*of.estimated, part) &&
         ((*of.estimated).*part)->high_ns >= double(of.net_real_ns);
}

Cell spread_cell(const Estimated& e, snapshot::TimeOf time) {
  return {spread_text(e, time), Ink::kQuiet};
}

}  // namespace compmond::terminal
