// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "snapshot/estimated.h"
#include "snapshot/words.h"

// What a snapshot tells of how it came about: how much was seen, by what, and at which cost.
namespace compmond::snapshot {

// So many records are missing that times may be anything: what nests in what is not known any more.
inline bool loses_much(uint64_t lost, uint64_t of) { return of > 0 && lost > of / 100; }

struct Health {
  uint64_t hits = 0, delivered = 0, lost = 0, pending = 0;
  uint64_t lost_ring = 0, lost_slots = 0, lost_log = 0, lost_refused = 0;  // causes of `lost`
  uint64_t entries = 0, orphan_exits = 0, abandoned = 0, open = 0, clamped = 0, evicted = 0,
           stack_switches = 0;
  uint64_t failed = 0, jumped = 0;  // of abandoned, as in Closed
  bool failed_at_least = false;     // likewise
  uint64_t transfers = 0;           // exceptions and jumps seen where they begin or are caught
  uint64_t transfers_ns = 0;        // what seeing them took; and likewise
  uint64_t beside_ns = 0;           // samples, slices, and that probes came and went
  bool balanced = true;             // the accounting equations hold
  uint64_t attached = 0;            // operations
  struct Refused {
    std::string symbol, reason;
    bool operator==(const Refused&) const = default;
  };
  std::vector<Refused> refused;
  struct ProbeCost {
    std::string site;
    Word<ExitMode> exit_mode;
    double inside_ns = 0, outside_ns = 0;
    std::string engine = {};  // whose; empty: not told
    bool operator==(const ProbeCost&) const = default;
  };
  std::vector<ProbeCost> probe_cost;
  std::string attach;  // the first engine's, see below
  struct Engine {      // one that observes operations
    std::string name;
    std::string attach;         // its way to attach, in its word: "session", "multi", "timer" …
    bool writes_target = true;  // into the targets' memory, breakpoints of the kernel included
    bool operator==(const Engine&) const = default;
  };
  std::vector<Engine> engines;  // in the order of their trial
  double overhead_pct = 0;      // of the targets' CPU time
  // What samples say of the newest part of the window in which they could be compared with what the
  // costs of probes say, as shares of the targets' CPU time (figures/cost_check.h).
  struct OverheadChecked {
    uint64_t start_ns = 0, end_ns = 0;
    double by_costs_pct = 0;
    double by_samples_pct = 0, low_pct = 0, high_pct = 0;  // 95 % interval
    uint64_t intervals = 0;  // of the window that were compared, the newest of them
    uint64_t apart = 0;      // of these: further apart than chance and what samples miss explain
    bool doubt = false;      // two in a row were, to the same side
    bool operator==(const OverheadChecked&) const = default;
  };
  std::optional<OverheadChecked> overhead_checked = std::nullopt;
  // Processes that nobody observes and that run probed code, where a file is attached for all. Of
  // the whole run, whatever the window.
  struct Strangers {
    uint64_t calls = 0;
    uint64_t processes = 0;
    bool processes_at_least = false;  // more than these were not told apart
    double cost_ns = 0;               // of their time: calls, each at its cost as measured at start
    // That, as a share of the targets' CPU time; may be above 100. Nothing where they used none.
    std::optional<double> cost_pct = std::nullopt;
    std::vector<std::string> files;  // of the code that they called
    bool operator==(const Strangers&) const = default;
  };
  std::optional<Strangers> strangers = std::nullopt;  // none came by, or it is not known
  std::vector<std::string> throttled;
  std::vector<std::string> disabled;  // operations that somebody switched off, now
  struct Switch {
    uint64_t at_ns = 0;
    bool on = false;
    std::string what;  // as it was asked for; empty: all probes
    bool operator==(const Switch&) const = default;
  };
  std::vector<Switch> switches;  // of the run, whatever the window; the newest, oldest first
  bool probes_paused = false;    // all of them, by somebody's wish, now
  // Spans of the run in which the overhead budget kept operations away.
  struct Busy {
    struct Span {
      uint64_t start_ns = 0, end_ns = 0;  // the last ends at the snapshot's now while it is busy
      bool operator==(const Span&) const = default;
    };
    bool now = false;
    double whole_pct = 0;  // of the CPU time that all probes took when all were there last
    std::vector<Span> spans;
    bool operator==(const Busy&) const = default;
  };
  std::optional<Busy> busy = std::nullopt;  // none: it never was
  // Short times of the window in which some of what is away was observed, for its calls alone.
  struct Slice {
    uint64_t start_ns = 0, end_ns = 0;
    uint64_t operations = 0;  // that were observed
    double slow_down = 1;     // of the threads that it slowed most
    bool operator==(const Slice&) const = default;
  };
  static constexpr size_t kMostSlices = 1000;
  std::vector<Slice> slices;  // the newest so many, oldest first
  struct Sliced {             // all of them
    uint64_t taken = 0;
    double share = 0;         // of the window's time
    double slow_down = 1;     // on average
    double inputs_share = 0;  // of the window's time in which what the targets read was counted
    bool operator==(const Sliced&) const = default;
  };
  std::optional<Sliced> sliced = std::nullopt;  // none: there were none
  std::vector<std::string> notes;  // anything else a reader must know to trust the figures
  uint64_t history_bytes = 0;
  std::optional<SamplesHealth> samples;  // none: none were taken
  // All that the spec names: observed, refused, or without probes at the moment.
  uint64_t operations() const {
    return attached + refused.size() + throttled.size() + disabled.size();
  }
  bool operator==(const Health&) const = default;
};

// Whether the targets' memory is as it was, as they are only looked at from outside.
inline bool writes_no_target(const Health& health) {
  return !health.engines.empty() &&
         std::ranges::none_of(health.engines, &Health::Engine::writes_target);
}

// Whether this was not observed by compmond but read from a log of Kieker, which knows nothing of
// probes, their costs, and processes.
inline bool is_import(const Health& health) {
  return health.engines.size() == 1 && health.engines.front().attach == "log";
}

}  // namespace compmond::snapshot
