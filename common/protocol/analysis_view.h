// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "protocol/analysis_reports.h"
#include "snapshot/words.h"

namespace compmond::snapshot {

// What a client gets that asked about the traces of a window, or its samples: one of the analyses
// of `compmond analyze` over what the history retains, cut to what a screen can show. Part of the
// protocol compmond.view/1. Times are ns as in view.h.
struct AnalysisView {
  Word<Report> report;                  // as asked for
  Word<Level> level;                    // likewise, spelt out
  uint64_t start_ns = 0, end_ns = 0;    // the window
  uint64_t traces = 0, executions = 0;  // that it is about (after search and filters)
  uint64_t broken = 0;  // traces left out: some of their executions are not retained or were lost
  uint64_t unfinished = 0;  // traces left out: still running
  uint64_t left_out = 0;    // rows, executions, nodes beyond the limit
  bool partial =
      false;  // not all of the window is retained, or it holds more than is analysed at once
  uint64_t analysed_since_ns = 0;  // where partial: traces that began later are all there
  // Of the window's time, or of the one trace's, 0 to 1, in which all probes were there; none: the
  // whole of it. Else calls are missing, and what they called has another caller or none.
  std::optional<double> observed_share;

  struct Operation {
    std::string component, name;
    bool operator==(const Operation&) const = default;
  };
  std::vector<Operation> operations;  // that `content` mentions

  ReportContent content;  // that of `report`
  // As this report; null where it is another one.
  template <class R>
  const R* as() const {
    return std::get_if<R>(&content);
  }
  template <class R>
  R* as() {
    return std::get_if<R>(&content);
  }
  bool operator==(const AnalysisView&) const = default;
};

// Whether the content is that of the report, and well formed. What comes from elsewhere is to be
// asked this before it is drawn.
inline bool well_formed(const AnalysisView& view) {
  return view.content.index() == empty_content(view.report).index() &&
         well_formed(view.content, view.operations.size());
}

}  // namespace compmond::snapshot
