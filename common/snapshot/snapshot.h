// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_layout.h"
#include "base/result.h"
#include "base/window.h"
#include "snapshot/component.h"
#include "snapshot/health.h"
#include "snapshot/heat.h"
#include "snapshot/words.h"

// What the JSON file and the terminal show: one plain value, schema compmond.snapshot/1, documented
// in docs/snapshot.md. Integers are ns unless the name says otherwise. Links nothing of the daemon.
namespace compmond::snapshot {

struct Host {
  std::string name, kernel, cpu;
  unsigned cpus = 0;
  bool operator==(const Host&) const = default;
};

struct Target {
  int64_t pid = 0;
  std::string exe, build_id;
  uint64_t start_ns = 0;  // CLOCK_BOOTTIME
  bool alive = true;
  // Of its end, where it is known: when it was noticed, CLOCK_MONOTONIC, and one of the two.
  std::optional<uint64_t> ended_ns = std::nullopt;
  std::optional<int64_t> exit_status = std::nullopt, end_signal = std::nullopt;
  std::string name = {};  // what it calls itself, as the kernel keeps it (cut); empty: not known
  // In the window: cpu_ns (exact, without an interval) and waiting_ns of all its threads.
  std::optional<Estimated> estimated = std::nullopt;
  bool operator==(const Target&) const = default;
};

struct Thread {
  int64_t pid = 0, tid = 0;
  std::string name;
  uint64_t calls = 0, raw_ns = 0;
  bool seen = true;                                   // as of Figures
  std::optional<Estimated> estimated = std::nullopt;  // cpu_ns and waiting_ns of the thread
  bool operator==(const Thread&) const = default;
};

// An execution that missed its objective.
struct Violation {
  std::string component, operation;  // path, name
  int64_t pid = 0, tid = 0;
  uint64_t start_ns = 0, raw_ns = 0, objective_ns = 0;
  uint64_t trace_id = 0;
  uint32_t eoi = 0;  // order of start within its trace
  Word<Ending> closed;
  bool operator==(const Violation&) const = default;
};

// All objectives of the spec together.
struct Objectives {
  uint64_t violations = 0, violating_now = 0;  // of the window, as in Slo
  uint64_t since_start = 0;                    // ended, whatever window and filter
  std::vector<Violation> newest;               // of the window: open ones, then by end
  uint64_t left_out = 0;                       // of the window, not listed in newest
  std::vector<std::string> unjudged;  // operations that have one and are refused or not timed
  bool operator==(const Objectives&) const = default;
};

struct Snapshot {
  std::string created;  // RFC 3339
  Host host;
  std::vector<Target> targets;
  uint64_t targets_left_out = 0;  // others, which ended and are no longer listed
  std::string spec_name, spec_path;
  uint64_t start_ns = 0;  // when observation began, CLOCK_MONOTONIC
  uint64_t now_ns = 0;    // up to when it observed; 0: not told
  uint64_t window_start_ns = 0, window_end_ns = 0;
  // Reaches back before what is kept in full; where samples tell the times, begins or ends there.
  bool window_partial = false;
  std::string metric;
  std::optional<Heat> heat;           // what its hotness is; none: not told
  std::vector<Component> components;  // a parent before its children
  std::vector<Edge> edges;
  std::vector<Thread> threads;
  std::optional<Objectives> slo;  // none: the spec has no objective
  Health health;
  bool operator==(const Snapshot&) const = default;
};

// What it calls itself, and the program that it runs where that is called otherwise:
// "redis-server (redis-check-rdb)".
std::string name_text(const Target& target);
// "exited with status 3", "killed by SIGSEGV", "ended".
std::string end_text(const Target& target);

// What happened: "Locks switched off", "all probes paused".
std::string switch_text(const Health::Switch& one);

// "≥" before how many processes or threads there are, where more may have been: there were more
// threads than places, or so many that the oldest are one row.
std::string_view threads_mark(const Snapshot& snapshot);

// Whether times of some component are estimates from samples.
bool rests_on_samples(const Snapshot& snapshot);
// What such a snapshot lacks for a metric of calls: "samples do not tell".
std::string_view what_calls_lack(const Snapshot& snapshot);
// Whether those of all that are observed are: then nothing that needs calls can be told.
bool knows_no_calls(const Snapshot& snapshot);
// How old the newest samples are of those that its figures rest on, where the window reaches up to
// them or beyond: what came since is in no figure yet. 0: nothing is missing.
uint64_t samples_behind_ns(const Snapshot& snapshot);
// The part of the window that the figures are of, and shares are of its length: without what is not
// known yet.
Window known_window(const Snapshot& snapshot);

// JSON text of schema compmond.snapshot/1 (invalid UTF-8 in names is replaced, a number that is not
// finite becomes 0).
std::string to_json(const Snapshot& snapshot, JsonLayout layout = JsonLayout::kIndented);
// The inverse; Exit::kData with a JSON pointer on anything that is not a snapshot. Unknown keys are
// ignored, and keys beyond the first version's contract may be absent.
Result<Snapshot> from_json(std::string_view text);

}  // namespace compmond::snapshot
