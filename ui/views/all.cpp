// SPDX-License-Identifier: Apache-2.0
#include "ui/views/all.h"

#include "ui/views/call_tree/call_tree.h"
#include "ui/views/dependencies/dependencies.h"
#include "ui/views/health/health.h"
#include "ui/views/map/map.h"
#include "ui/views/markov/markov.h"
#include "ui/views/sequence/sequence.h"
#include "ui/views/table/table.h"
#include "ui/views/timing/timing.h"
#include "ui/views/trace_timing/trace_timing.h"
#include "ui/views/traces/traces.h"

namespace compmond::ui {

std::vector<std::unique_ptr<View>> make_views() {
  std::vector<std::unique_ptr<View>> out;
  out.push_back(make_map_view());
  out.push_back(make_timing_view());
  out.push_back(make_table_view());
  out.push_back(make_traces_view());
  out.push_back(make_sequence_view());
  out.push_back(make_trace_timing_view());
  out.push_back(make_call_tree_view());
  out.push_back(make_dependencies_view());
  out.push_back(make_markov_view());
  out.push_back(make_health_view());
  return out;
}

}  // namespace compmond::ui
