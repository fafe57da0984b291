// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/analysis_view.h"
#include "snapshot/snapshot.h"

// What a client of the daemon gets, protocol compmond.view/1, documented in docs/protocol.md. Plain
// values; one JSON object on one line each. Times are CLOCK_MONOTONIC ns of the daemon's host (of
// the recording host in a replay).
namespace compmond::snapshot {

// What components did over time. Row i belongs to components[i]; it is the real time of its own
// operations. Of a filter, components and operations apply.
struct StripView {
  uint64_t start_ns = 0, end_ns = 0;
  uint32_t columns = 0;
  std::vector<std::string> components;         // paths, in the order of the snapshot
  std::vector<std::vector<uint64_t>> real_ns;  // per component and column
  std::vector<uint64_t> lost;                  // records lost per column; empty: none at all
  // Executions that missed their objective, by the column in which they ended; only where there
  // were any, by component and column.
  struct Violations {
    uint32_t component = 0, column = 0;  // of components; from 0
    uint64_t count = 0;
    bool operator==(const Violations&) const = default;
  };
  std::vector<Violations> violations = {};
  // Of a busy run, those in it: the newest Health::kMostSlices.
  std::vector<Health::Slice> slices = {};
  bool operator==(const StripView&) const = default;
};

struct ExecutionsView {
  uint64_t start_ns = 0, end_ns = 0;
  struct Operation {
    std::string component, name;
    std::optional<uint64_t> objective_ns =
        {};  // raw times above it are violations; none: no objective
    bool operator==(const Operation&) const = default;
  };
  std::vector<Operation> operations;  // what `operation` and `caller` below number
  struct Execution {
    uint32_t operation = 0;
    int64_t caller = -1;  // an operation; -1: outside
    int64_t pid = 0, tid = 0;
    uint64_t start_ns = 0, end_ns = 0;  // whole, not clipped; an open one ends at now
    uint64_t real_ns = 0;
    uint64_t trace_id = 0;
    uint32_t eoi = 0, ess = 0;
    Word<Ending> closed;
    bool operator==(const Execution&) const = default;
  };
  std::vector<Execution> executions;  // by start
  // Neighbours of one operation on one thread, each shorter than a pixel.
  struct Fold {
    uint32_t operation = 0;
    int64_t pid = 0, tid = 0;
    uint32_t ess = 0;                   // the smallest
    uint64_t start_ns = 0, end_ns = 0;  // from the first one's start to the last one's end
    uint64_t count = 0, raw_ns = 0, real_ns = 0;
    uint64_t violations = 0;  // of these
    bool operator==(const Fold&) const = default;
  };
  std::vector<Fold> folds;  // by start
  uint64_t left_out = 0;    // executions beyond the limit: the shortest ones
  bool partial = false;     // the window reaches back before what is kept in full
  // When probes of a component were away, too dear to be there: its executions were not all seen.
  struct Away {
    std::string component;
    uint64_t start_ns = 0, end_ns = 0;  // within the view's
    bool operator==(const Away&) const = default;
  };
  std::vector<Away> away = {};  // by component, then by start
  // Where samples tell times, what they tell of a component, in equal columns of the view's time.
  struct Sampled {
    std::string component;
    std::vector<uint64_t> real_ns;
    bool operator==(const Sampled&) const = default;
  };
  std::vector<Sampled> sampled = {};  // of those that a sample met
  bool operator==(const ExecutionsView&) const = default;
};

// What stands beside the figures when a component is selected.
struct DetailsView {
  std::string component;
  struct Bucket {
    uint64_t from_ns = 0, to_ns = 0, count = 0;
    bool operator==(const Bucket&) const = default;
  };
  std::vector<Bucket> histogram;  // raw times of executions that ended in the window, by from_ns
  ExecutionsView recent;          // its newest executions, at most 50
  bool operator==(const DetailsView&) const = default;
};

// Where the run stands, whatever window is asked for.
struct RunState {
  uint64_t start_ns = 0, now_ns = 0;
  bool live = true;                // false: ended, or a replay that has come to its end
  bool replay = false;             // from a log
  double events_per_s = 0;         // delivered, over the last second
  uint64_t complete_since_ns = 0;  // executions that ended later are all there; 0: all
  // Of a replay only:
  bool paused = false;  // it stands still, before its end
  double speed = 0;     // times the original; 0: as fast as it goes
  uint64_t end_ns = 0;  // where the log ends
  bool operator==(const RunState&) const = default;
};

struct View {
  uint64_t id = 0;
  RunState run;
  std::optional<Snapshot> snapshot;
  std::optional<StripView> strip;
  std::optional<ExecutionsView> executions;
  std::optional<DetailsView> details;
  std::optional<AnalysisView> analysis;
  bool operator==(const View&) const = default;
};

}  // namespace compmond::snapshot
