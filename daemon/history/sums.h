// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/word_sums.h"
#include "history/objectives.h"
#include "trace/execution.h"

namespace compmond::history {

// What is only added up of executions of one operation: 64-bit counts and sums, modulo 2^64.
// Totals, summaries and figures all hold these, so that a new one is a line here, where it is
// counted below, and what it is used for.
struct Added {
  // Of executions that began.
  uint64_t calls = 0;
  uint64_t entry_only = 0;  // of calls: counted without times
  uint64_t truncated = 0;
  // Of executions that ended; their times unless they are entry-only.
  uint64_t closed[trace::kClosedReasons] = {};
  uint64_t cheap_exits = 0;  // of closed: with kCheapExit
  uint64_t stays = 0;        // of closed: trace::Execution
  uint64_t raw_ns = 0;
  uint64_t outer_raw_ns = 0;       // of those with kOutermostOfOperation
  uint64_t component_raw_ns = 0;   // of those with kOutermostOfComponent
  uint64_t nested_ns = 0;          // real = raw_ns - nested_ns
  uint64_t unsure_ns = 0;          // by how much real times may be off (trace::Execution)
  uint64_t violations = 0;         // of closed: missed the operation's objective
  uint64_t unseen_violations = 0;  // of these: their ends were not seen
};

// With the smallest and largest raw time of those that ended, entry-only ones left out, and of the
// smallest those whose end was lost.
struct Sums : Added {
  uint64_t min_ns = UINT64_MAX, max_ns = 0;

  void begin(uint16_t flags) {
    ++calls;
    if (flags & trace::kEntryOnly) ++entry_only;
    if (flags & trace::kTruncated) ++truncated;
  }
  // Takes back one that was counted and began elsewhere.
  void unbegin(uint16_t flags) {
    --calls;
    if (flags & trace::kEntryOnly) --entry_only;
    if (flags & trace::kTruncated) --truncated;
  }
  // An execution that ended, its times left out.
  void end(const trace::Execution& e) {
    ++closed[int(e.reason)];
    if (e.flags & trace::kCheapExit) ++cheap_exits;
    stays += e.stays;
  }
  // Its raw time, where it has one: of one whose end was lost at least.
  void took(trace::Closed reason, uint64_t raw) {
    raw_ns += raw;
    if (reason != trace::Closed::kLossy) min_ns = std::min(min_ns, raw);
    max_ns = std::max(max_ns, raw);
  }
  // The part of its raw time that counts for its operation and its component.
  void took_outermost(uint16_t flags, uint64_t raw) {
    if (flags & trace::kOutermostOfOperation) outer_raw_ns += raw;
    if (flags & trace::kOutermostOfComponent) component_raw_ns += raw;
  }
  void violate(trace::Closed reason) {
    ++violations;
    if (Objectives::end_unseen(reason)) ++unseen_violations;
  }
  // All of one that ended but its beginning and its objective; returns its raw time.
  uint64_t close(const trace::Execution& e) {
    const uint64_t raw = e.end_ns - e.start_ns;
    end(e);
    if (e.flags & trace::kEntryOnly) return raw;
    took(e.reason, raw);
    took_outermost(e.flags, raw);
    nested_ns += e.nested_ns;
    unsure_ns += e.unsure_ns;
    return raw;
  }
  Sums& operator+=(const Sums& other) {
    add_words<Added>(*this, other);
    min_ns = std::min(min_ns, other.min_ns);
    max_ns = std::max(max_ns, other.max_ns);
    return *this;
  }
  // Executions that ended and have a time.
  uint64_t timed() const {
    uint64_t count = 0;
    for (const uint64_t reason : closed) count += reason;
    return count - entry_only;
  }
};

// Of calls from one operation to another.
struct EdgeSums {
  uint64_t calls = 0;   // begun, so closed + open
  uint64_t raw_ns = 0;  // closed, and outermost of their component: never more than its raw time
  static EdgeSums of(uint64_t calls, uint16_t flags, uint64_t raw_ns) {
    return {calls, flags & trace::kOutermostOfComponent ? raw_ns : 0};
  }
  EdgeSums& operator+=(const EdgeSums& other) {
    add_words(*this, other);
    return *this;
  }
};

// Of executions on one thread.
struct ThreadSums {
  uint64_t calls = 0;
  uint64_t bottom_raw_ns = 0;  // raw time of those that closed at the bottom of a stack
  ThreadSums& operator+=(const ThreadSums& other) {
    add_words(*this, other);
    return *this;
  }
};

}  // namespace compmond::history
