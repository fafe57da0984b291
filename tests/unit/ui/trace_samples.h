// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/analysis_view.h"
#include "stage.h"

// Answers about traces of the file host.
namespace compmond::ui {

constexpr uint64_t kRunStart = 1'000'000'000'000;  // of the file host's run

snapshot::AnalysisView about(snapshot::Report report);  // two operations, no traces yet
snapshot::TraceRow row(uint64_t id, double from_s, double ms);
snapshot::AnalysisView trace_list();
// Trace 88: HTTPServer calls FileReader five times, each 0.5 ms.
snapshot::AnalysisView one_trace();

}  // namespace compmond::ui
