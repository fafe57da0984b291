// SPDX-License-Identifier: Apache-2.0
#include "ui/views/view.h"

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
