// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/limits.h"
#include "front/options.h"
#include "prepare/options.h"

namespace compmond::run {

struct AttachOptions {
  prepare::TargetOptions target;
  prepare::PlanningOptions planning;
  front::Options front;
  bool exit_on_slo = false;     // end at the first execution that misses its objective
  bool raw_costs = false;       // as figures::Model
  std::string record_path;      // monitoring log; empty: none
  int record_limit_mib = 0;     // of all its files; 0: none
  double record_last_s = 0;     // flight recorder: in memory until asked for; 0: all is written
  double max_overhead_pct = 5;  // of the targets' CPU time; 0: whatever it costs
  int history_mib = int(limits::kHistoryBytes >> 20);
  int ring_mib = int(limits::kRingBytes >> 20);
};

}  // namespace compmond::run
