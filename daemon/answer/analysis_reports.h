// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/traced.h"
#include "answer/run_parts.h"
#include "snapshot/analysis_view.h"

namespace compmond::answer {

// The traces that an analysis is about, in the order in which they ended. Borrowed.
struct Chosen {
  const RunParts& run;
  const analysis::Catalogue& catalogue;
  std::vector<const analysis::Trace*> traces;
  std::vector<uint32_t> class_numbers;  // of them
};

// Makes the report that a checked request names, and counts what it is about.
void fill_report(const Chosen& chosen, const snapshot::AnalysisRequest& request,
                 snapshot::AnalysisView& out);

}  // namespace compmond::answer
