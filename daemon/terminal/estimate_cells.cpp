// SPDX-License-Identifier: Apache-2.0
#include "terminal/estimate_cells.h"

#include <cstdint>

#include "text/numbers.h"

namespace compmond::terminal {
namespace {

using snapshot::Estimated;
using text::Cell;
using text::Ink;

uint64_t whole_ns(double ns) { return ns > 0 ? uint64_t(ns + 0.5) : 0; }

}  // namespace

Cell time_cell(const Estimated& e, snapshot::TimeOf time) {
  if (!(e.*time) || (e.*time)->high_ns <= 0) return {"–", Ink::kQuiet};  // nothing was looked at
  if (only_bound(e, time)) return {"<" + text::duration(whole_ns((e.*time)->high_ns)), Ink::kQuiet};
  const bool more = at_least(e, time);
  return {(more ? "≥" : "") + text::duration(whole_ns((e.*time)->value_ns)),
          more ? Ink::kAmber : Ink::kPlain};
}

bool tells_nothing(const snapshot::Figures& of, snapshot::TimeOf part) {
  return !times_estimated(of) && only_bound(*of.estimated, part) &&
         ((*of.estimated).*part)->high_ns >= double(of.net_real_ns);
}

Cell spread_cell(const Estimated& e, snapshot::TimeOf time) {
  if (!(e.*time) || only_bound(e, time)) return {""};
  const double half = ((e.*time)->high_ns - (e.*time)->low_ns) / 2;
  return {"±" + text::percent(100 * half / (e.*time)->value_ns), Ink::kQuiet};
}

}  // namespace compmond::terminal
