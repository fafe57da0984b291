// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/window.h"

namespace compmond::plan {

// Spans of time in which something was so, CLOCK_MONOTONIC, oldest first; the last ends at
// UINT64_MAX while it is. At most kMost: then the two oldest become one, with what was between
// them.
struct Spans : std::vector<Window> {
  using std::vector<Window>::vector;
  static constexpr size_t kMost = 64;
  bool open() const { return !empty() && back().end_ns == UINT64_MAX; }
  void begin_at(uint64_t now_ns);  // nothing where one is open
  void end_at(uint64_t now_ns);    // likewise where none is
  void add(Window span);           // becomes one with those that it touches
  // How long of the window it was.
  uint64_t within_ns(Window window) const;

 private:
  void bound();
};

// Whether a run observes all its operations all the time: it is whole, as each one begins. Or it is
// busy: its target does so much that the overhead budget keeps some of them away.
struct Busy {
  Spans spans;           // when it was
  double whole_pct = 0;  // what all probes together took of the targets' CPU time when all were
                         // there last, or would take as slices tell; 0: not known
  // Likewise what watching exceptions and jumps took beside the targets' own work when they were
  // watched last; none: not known.
  std::optional<double> transfers_pct;
  // Calls per second of all operations if their targets had all CPU time that they use for their
  // own work, likewise, as costs of probes say; and at least, as these may be too high. 0: not
  // known.
  double whole_calls_s = 0, whole_calls_least_s = 0;
  double budget_pct = 0;   // what observing may take of the CPU time; 0: not known
  Spans transfers_away;    // when exceptions and jumps were not watched, as they were too many
  uint64_t beside_ns = 0;  // what observing cost the targets so far beside calls: samples,
                           // probes that came and went, slices, inputs that were counted
  bool now() const { return spans.open(); }
};

}  // namespace compmond::plan
