// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "snapshot/estimated.h"

// What a snapshot tells of a component's or an operation's calls and times. Integers are ns unless
// the name says otherwise.
namespace compmond::snapshot {

struct Closed {
  uint64_t returned = 0, abandoned = 0, thread_exit = 0, exec = 0, lossy = 0;
  // Of abandoned: left by an exception, and by a longjmp or a change of context.
  uint64_t failed = 0, jumped = 0;
  // For a part of the time exceptions were not watched, and of what was left then nobody knows why.
  bool failed_at_least = false;
  uint64_t cut = 0;  // open at the end of a slice: as all that slices see, not among the calls
  Closed& operator+=(const Closed& other) {
    returned += other.returned;
    abandoned += other.abandoned;
    thread_exit += other.thread_exit;
    exec += other.exec;
    lossy += other.lossy;
    failed += other.failed;
    failed_at_least |= other.failed_at_least;
    jumped += other.jumped;
    cut += other.cut;
    return *this;
  }
  uint64_t all() const { return returned + abandoned + thread_exit + exec + lossy; }
  const char* failed_mark() const { return failed_at_least ? "≥" : ""; }
  uint64_t left() const { return abandoned - std::min(abandoned, failed); }
  bool operator==(const Closed&) const = default;
};

// How the executions of a component or an operation kept to their response-time objective.
struct Slo {
  std::optional<uint64_t> objective_ns;  // of a component: empty where its operations' differ
  uint64_t violations = 0;               // ended in the window, raw time above the objective
  uint64_t unseen_ends = 0;    // of these, abandoned and lossy: raw times are upper bounds
  uint64_t violating_now = 0;  // of the open ones, above the objective already
  bool operator==(const Slo&) const = default;
};

// Where mean_ns to p99_ns are those of single executions that slices of the time saw: they took so
// long in a program that the slices' probes slowed.
struct Sliced {
  uint64_t seen = 0;               // executions that these rest on
  double slow_down = 1;            // of what was slowed most
  uint64_t uncertain_from_ns = 0;  // longer ones hardly fit into a slice, and may be missing
  uint64_t orphans = 0;            // ends of which no slice saw the beginning
  bool operator==(const Sliced&) const = default;
};

struct Figures {
  uint64_t calls = 0, open = 0;
  uint64_t raw_ns = 0, real_ns = 0, net_real_ns = 0;
  uint64_t mean_ns = 0, min_ns = 0, max_ns = 0, p50_ns = 0, p90_ns = 0, p99_ns = 0;
  uint64_t uncertain_below_ns = 0;  // of these: more than a third of them is what probes cost
  double hotness = 0;
  double ranked = 0;          // the value that makes it hot, as Heat says it
  uint64_t waiting_ns = 0;    // of net_real_ns: in operations that the spec says only wait
  uint64_t mean_real_ns = 0;  // net_real_ns by execution
  // Of net_real_ns, without waiting: beyond what its share of an earlier time would be in this
  // window; none: not asked for, or there is none to compare with.
  std::optional<double> deviation_ns = std::nullopt;
  bool uncertain = false;  // the correction for probe cost is larger than a third of real_ns
  Closed closed;
  uint64_t truncated = 0;  // nested too deeply for their ends to be seen
  uint64_t unsure_ns = 0;  // by how much real_ns may be off: some ends are known within bounds only
  std::optional<Slo> slo;  // none: no objective, or nothing is timed that it could be held to
  bool at_least = false;   // calls were missed in the window: records lost, or probes away
  bool seen = true;  // calls could be; else all of the above but hotness is null in JSON, 0 here
  std::optional<Estimated> estimated = std::nullopt;  // none: everything was seen
  std::optional<Evidence> evidence = std::nullopt;    // none: probes
  // Of the window's time, 0 to 1, in which its probes were there, all of them of a component; none:
  // the whole of it, as far as is known.
  std::optional<double> observed_share = std::nullopt;
  // Why there are no estimated calls although its probes were away and slices were made.
  std::optional<std::string> not_extrapolated = std::nullopt;
  std::optional<Sliced> sliced = std::nullopt;  // none: probes saw these, in the rest of the time
  bool operator==(const Figures&) const = default;
};

// Whether its times may be off by more than a hundredth, as it was left, or left others, at times
// that are known within bounds only.
inline bool ends_unsure(const Figures& f) { return f.unsure_ns * 100 > f.real_ns; }

// Whether that raw time of single calls of it is to more than a third what probes cost, or near to
// the longest that slices can see.
inline bool single_uncertain(const Figures& f, uint64_t ns) {
  return ns < f.uncertain_below_ns || (f.sliced && ns >= f.sliced->uncertain_from_ns);
}

// Whether samples tell its times: no probe saw it, or probes were away for a part of the window.
// Its calls, if any were seen, are then at least those.
inline bool times_estimated(const Figures& f) {
  return !f.seen || (f.estimated && f.estimated->net_real_ns);
}
// Whether probes saw calls of it and samples tell its times all the same, as probes, its own or
// others', did not see all.
inline bool seen_in_part(const Figures& f) { return f.seen && times_estimated(f); }
// Whether no call was met; where samples tell the times this is not told.
inline bool is_idle(const Figures& f) { return !times_estimated(f) && f.calls == 0 && f.open == 0; }
// The calls that slices of the time tell of it; null: those that were seen are all that is known.
inline const CallsEstimate* estimated_calls(const Figures& f) {
  return f.estimated && f.estimated->calls ? &*f.estimated->calls : nullptr;
}
inline double shown_calls(const Figures& f) {
  return estimated_calls(f) ? estimated_calls(f)->value : double(f.calls);
}
// The real time to be shown: without waiting, as far as that is told apart.
inline double shown_real_ns(const Figures& f) {
  return f.estimated && f.estimated->net_real_ns ? f.estimated->net_real_ns->value_ns
                                                 : double(f.net_real_ns - f.waiting_ns);
}

// Executions that missed their objective, running ones among them; 0 without one.
inline uint64_t violations(const Figures& f) {
  return f.slo ? f.slo->violations + f.slo->violating_now : 0;
}

}  // namespace compmond::snapshot
