// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "history/store.h"
#include "protocol/analysis_request.h"
#include "protocol/analysis_view.h"
#include "traces/traced.h"

namespace compmond::present {

// The traces that an analysis is about, in the order in which they ended. Borrowed.
struct Chosen {
  const history::Checkpoint& checkpoint;
  const traces::Catalogue& catalogue;
  std::vector<const traces::Trace*> traces;
  std::vector<uint32_t> class_numbers;  // of them
  bool programs_are_hosts = false;      // as of a log of Kieker
};

// Makes the report that a checked request names, and counts what it is about.
void fill_report(const Chosen& chosen, const snapshot::AnalysisRequest& request,
                 snapshot::AnalysisView& out);

}  // namespace compmond::present
