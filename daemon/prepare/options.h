// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/attach_kind.h"
#include "base/limits.h"
#include "spec/model.h"

namespace compmond::prepare {

// Which processes to look at: exactly one of the three is given.
struct TargetOptions {
  std::vector<pid_t> pids;
  std::string exe;
  std::vector<std::string> command;
  bool children =
      true;  // with pids: also their descendants that run the same program, now and later
};

// What attaching and checking share.
struct PlanningOptions {
  std::string spec_path;
  spec::ExitMode exit_mode = spec::ExitMode::kAuto;
  bool many = false;
  bool move_probes = true;
  std::optional<AttachKind> attach_kind;  // forced, for tests and old kernels
};

// Who may look, and at what.
struct ServeOptions {
  bool headless = false;   // no window of our own
  bool ui = false;         // a window, or an error
  bool keep = false;       // the run outlives its window
  std::string listen;      // address, beside the socket in the run folder; empty: none
  std::string token_file;  // what clients over TCP have to know
};

struct AttachOptions {
  TargetOptions target;
  PlanningOptions planning;
  ServeOptions serve;
  double duration_s = 0;   // 0: until a signal or the targets' end
  double window_s = 0;     // 0: the whole run
  double refresh_s = 0.5;  // of the live table
  std::string metric = "overall";
  std::string snapshot_path;    // "-": stdout; empty: none
  bool exit_on_slo = false;     // end at the first execution that misses its objective
  std::string record_path;      // monitoring log; empty: none
  int record_limit_mib = 0;     // of all its files; 0: none
  double record_last_s = 0;     // flight recorder: in memory until asked for; 0: all is written
  double max_overhead_pct = 5;  // of the targets' CPU time; 0: whatever it costs
  int history_mib = int(limits::kHistoryBytes >> 20);
  int ring_mib = int(limits::kRingBytes >> 20);
};

struct CheckOptions {
  TargetOptions target;
  PlanningOptions planning;
  bool json = false;
};

}  // namespace compmond::prepare
