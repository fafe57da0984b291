// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "estimate/sums.h"

// From what was added up to values with 95 % intervals.
namespace compmond::estimate {

struct Interval {
  double low = 0, high = 0;
};

constexpr double kZ = 1.959963984540054;  // the normal distribution's 97.5 % quantile

// Of a share, from n independent observations of which p·n have it; n may be an effective number
// (Wilson 1927; method 3 of Newcombe, Statistics in Medicine 17, 1998). n = 0: [0, 1].
Interval wilson(double p, double n);

// A time in a window, with its 95 % interval.
struct Estimate {
  double value_ns = 0, low_ns = 0, high_ns = 0;
  uint64_t samples = 0;
  bool below = false;     // too few samples for a value: it is less than high_ns
  bool at_least = false;  // the value is a lower bound, and that matters: see mark()
  // Why it is one.
  bool partly = false;   // waiting was sampled only part of the time, or samples were lost: high_ns
                         // does not allow for it
  bool jumps = false;    // likewise: it goes on in functions that it jumped to, off the stack
  double hidden_ns = 0;  // time of cut stacks in which it was not met
  double own_high_ns = 0;  // what high_ns would be without these
};

// What is known, not estimated.
Estimate exact(double value_ns, uint64_t samples);

// Some stacks are cut in most runs, and any of them may hide any caller: every time of callers is a
// lower bound then, and own times are where the innermost operation may be hidden. It is marked
// `at_least` where what they hide could be more than the interval tells anyway (half its own width)
// and more than anybody cares for (1 % of the value), where waiting was sampled only part of the
// time, or where it `jumps`. Where it is `below`, there is no value to be marked.
void mark(Estimate& e);

// Time of cut stacks in which something was not met, although it may have been there. A caller may
// be in any of them (`allowed`: high_ns allows for it). The innermost operation may be in those
// that have none: what they would add stands in high_ns only where that is all that is told.
// Nobody knows how long functions take to which it `jumps`.
struct Hidden {
  uint64_t on_ns = 0, off_ns = 0;
  bool allowed = false;
  bool jumps = false;
};
Hidden hidden_callers(const Sums& sums, const Totals& totals, bool jumps = false);
Hidden hidden_innermost(const Sums& elsewhere);

// On CPU: share × exact CPU time. The share's interval is Wilson's with the effective number of
// samples n* = p (1-p) C² / V, C the samples' CPU time and V the sum of the groups' variances (Korn
// and Graubard, Survey Methodology 24, 1998; Dean and Pagano, J. Survey Stat. Meth. 3, 2015),
// divided by the design effect Σ on_moment_variance / Σ on_variance where that is above 1. Where V
// tells nothing (no sample, or nothing else), n* = (Σ w)² / Σ w² (Kish, Survey Sampling, 1965).
// Cut stacks: up to Wilson's upper end of (k+t)/n with t those in which it was not met. Below 5
// samples: `below`.
Estimate on_cpu(const Sums& sums, const Totals& totals, Hidden hidden);

enum class Wait { kAll, kBlocked, kRunnable };

// Off CPU: Σ weights ± (1.96 √V + 1 %), the 1 % for the edges of what was seen of each thread.
// Below what 5 waits of equal weight would tell (value² < 5 V): `below`, with the score interval of
// a count, in units of the mean weight V / value. None at all: 3 periods (the rule of three).
// Where waiting was sampled only part of the time it is the waiting that was seen: `partly`; where
// never, 0, which says nothing (Totals::off_time_ns).
Estimate off_cpu(const Sums& sums, const Totals& totals, Wait wait, Hidden hidden);

// A time and another one that it is part of, by definition: neither bound goes beyond the other's.
void nest(Estimate& part, Estimate& whole);

// Of independent estimates; `below` where none of them is more (MOVER: Zou and Donner, Statistics
// in Medicine 27, 2008). What cut stacks hide is not left to chance: that adds up.
Estimate sum(const Estimate& a, const Estimate& b);

}  // namespace compmond::estimate
