// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/out.h"
#include "base/result.h"
#include "drawing/picture.h"
#include "traces/call_tree.h"
#include "traces/dependency_graph.h"
#include "traces/equivalence.h"
#include "traces/naming.h"

// SVG documents of what traces show. Where things stand is computed by layout/ and diagrams/, as
// for the window. Each fails with Exit::kData where the result would be too large to be looked at.
namespace compmond::drawing {

Result<void> draw_graph(Out& out, const GraphPicture& picture);
Result<void> draw_matrix(Out& out, const traces::DependencyGraph& graph);
// A line per node, indented by depth, beside a bar of its raw and real time.
Result<void> draw_tree(Out& out, const traces::CallTree& tree);
// The aggregated tree as a flame graph: width is raw time, the root at the bottom.
Result<void> draw_flame(Out& out, const traces::CallTree& tree);
// Of its representative; times in tooltips are of the whole class.
Result<void> draw_sequence(Out& out, const traces::EquivalenceClass& of,
                           const traces::Catalogue& catalogue, traces::Naming naming);
Result<void> draw_trace_timing(Out& out, const traces::EquivalenceClass& of,
                               const traces::Catalogue& catalogue, traces::Naming naming);

}  // namespace compmond::drawing
