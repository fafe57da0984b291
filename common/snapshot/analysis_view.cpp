// SPDX-License-Identifier: Apache-2.0
#include "snapshot/analysis_view.h"

#include <algorithm>

namespace compmond::snapshot {
namespace {

// Each refers to one before it, or by -1 to none.
template <class T>
bool in_order(const std::vector<T>& list, int32_t T::*earlier) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].*earlier < -1 || list[i].*earlier >= int64_t(i)) return false;
  return true;
}

}  // namespace

bool well_formed(const AnalysisView& view) {
  const auto all = [](const auto& list, auto fine) { return std::ranges::all_of(list, fine); };
  const auto operation = [&](int64_t n) { return n >= 0 && n < int64_t(view.operations.size()); };
  const auto node = [&](int64_t n) { return n >= 0 && n < int64_t(view.graph_nodes.size()); };
  const auto end = [&](int64_t n) { return n == -1 || node(n); };
  const auto known = [&](const auto& of) { return operation(of.operation); };
  return all(view.rows, known) && all(view.classes, known) && (!view.trace || known(*view.trace)) &&
         all(view.steps, known) && in_order(view.steps, &AnalysisView::Step::caller) &&
         all(view.steps, [](const auto& step) { return step.end_ns >= step.start_ns; }) &&
         (view.nodes.empty() || view.nodes.front().parent == -1) &&
         all(view.nodes, [&](const auto& n) { return n.operation == -1 || known(n); }) &&
         in_order(view.nodes, &AnalysisView::TreeNode::parent) &&
         all(view.graph_edges, [&](const auto& e) { return end(e.from) && node(e.to); }) &&
         all(view.states, [&](const auto& s) { return end(s.from) && end(s.to); }) &&
         all(view.transitions, [&](const auto& t) {
           return t.from < view.states.size() && t.to < view.states.size();
         });
}

}  // namespace compmond::snapshot
