// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "estimate/estimates.h"
#include "present/run_parts.h"
#include "snapshot/snapshot.h"

// What a window's samples tell, in the words of snapshots.
namespace compmond::present {

// The operations of a snapshot (borrowed), as the plan numbers them.
std::vector<snapshot::Operation*> all_operations(const RunParts& run, snapshot::Snapshot& of);

snapshot::Estimate estimate_of(const estimate::Estimate& estimate);
snapshot::MarkedEstimate marked(const estimate::Estimate& estimate);

// Of own time: what probes can not tell, on a CPU or waiting.
snapshot::Estimated on_cpu_or_waiting(const estimate::Times& own);

// All that samples tell of a component or an operation.
snapshot::Estimated said(const estimate::Figures& of);

// Who called whom as stacks have it, with the declared ones of `seen`, which probes saw.
std::vector<snapshot::Edge> edges(const spec::Spec& spec, const estimate::Estimates& estimates,
                                  const std::vector<snapshot::Edge>& seen);

// With the names of those that probes met, in whatever window.
std::vector<snapshot::Thread> threads(const RunParts& run, const estimate::Estimates& estimates);

// What slices saw of how long single executions took, where probes were away for most of the time.
// The run must have slices.
void add_singles(const RunParts& run, Window window, snapshot::Snapshot& out);

// The run must have samples.
snapshot::SamplesHealth samples_health(const RunParts& run, const estimate::Estimates& estimates);

}  // namespace compmond::present
