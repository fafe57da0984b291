// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/out.h"
#include "protocol/analysis_view.h"

// The paths inside a part of a program, with the time at the end of each, for flame graphs.
namespace compmond::exporting {

constexpr const char* kInsideReport = "inside";

// A stack per line and its ns; waiting is a frame of its own at the end.
void write_inside_folded(Out& out, const snapshot::Inside& inside);
// The document of the report "inside" (docs/analysis.md). `part`: what was looked into; empty: all.
// `damaged`: places of the log that could not be read.
void write_inside_json(Out& out, const snapshot::AnalysisView& view, const std::string& part,
                       uint64_t damaged);
// For speedscope: a profile of what was on a CPU, and one of waiting, if any was sampled. `name`:
// what was looked into.
void write_inside_speedscope(Out& out, const snapshot::Inside& inside, const std::string& name);

}  // namespace compmond::exporting
