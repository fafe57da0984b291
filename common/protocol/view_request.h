// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/heat.h"
#include "base/words.h"
#include "protocol/analysis_request.h"

// What a client of the daemon asks for, protocol compmond.view/1. Times are ns as in view.h.
namespace compmond::snapshot {

// The last `last_s` seconds, following now; or [start_ns, end_ns) where end_ns > 0; or, with
// neither, the whole run.
struct TimeWindow {
  double last_s = 0;
  uint64_t start_ns = 0, end_ns = 0;
  bool operator==(const TimeWindow&) const = default;
};

// Which executions count; an empty list lets everything pass.
struct ViewFilter {
  std::vector<std::string> components;  // paths; with what they contain
  std::vector<std::string> operations;  // names, as in Operation::name
  std::vector<int64_t> threads;         // tid
  uint64_t min_duration_ns = 0;         // of the whole raw time
  bool operator==(const ViewFilter&) const = default;
};

// What hotness 100 is, and below which share of one CPU in the window no time is hot.
struct HeatWish {
  Word<HeatScale> scale = HeatScale::kWindow;
  double floor_pct = 1;  // 0 to 100
  bool operator==(const HeatWish&) const = default;
};

struct ViewRequest {
  uint64_t id = 0;  // comes back in the answer
  TimeWindow window;
  std::string metric;  // empty: overall
  HeatWish heat;
  ViewFilter filter;
  bool snapshot = true;  // whether the figures are wanted

  // Activity over time, one row per component. end_ns 0: from the beginning of the run to now.
  struct Strip {
    uint64_t start_ns = 0, end_ns = 0;
    uint32_t columns = 0;  // 1 to 4,096
    bool operator==(const Strip&) const = default;
  };
  std::optional<Strip> strip;

  // Single executions, those shorter than a pixel folded. end_ns 0: the window above.
  struct Executions {
    uint64_t start_ns = 0, end_ns = 0;
    uint32_t pixels = 1000;  // along time, 1 to 8,192
    uint32_t limit = 4000;   // at most so many executions and folds together, 1 to 20,000
    bool operator==(const Executions&) const = default;
  };
  std::optional<Executions> executions;

  std::optional<std::string> details;  // path of a component

  std::optional<AnalysisRequest> analysis;  // of the traces of the window

  bool operator==(const ViewRequest&) const = default;
};

}  // namespace compmond::snapshot
