// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/out.h"
#include "base/result.h"
#include "drawing/picture.h"
#include "graphs/call_tree.h"
#include "graphs/dependency_graph.h"
#include "graphs/equivalence.h"
#include "graphs/naming.h"

// SVG documents of what traces show. Where things stand is computed by layout/ and diagrams/, as
// for the window. Each fails with Exit::kData where the result would be too large to be looked at.
namespace compmond::drawing {

Result<void> draw_graph(Out& out, const GraphPicture& picture);
Result<void> draw_matrix(Out& out, const graphs::DependencyGraph& graph);
// A line per node, indented by depth, beside a bar of its raw and real time.
Result<void> draw_tree(Out& out, const graphs::CallTree& tree);
// The aggregated tree as a flame graph: width is raw time, the root at the bottom.
Result<void> draw_flame(Out& out, const graphs::CallTree& tree);
// Of its representative; times in tooltips are of the whole class.
Result<void> draw_sequence(Out& out, const graphs::EquivalenceClass& of,
                           const traces::Catalogue& catalogue, graphs::Naming naming);
Result<void> draw_trace_timing(Out& out, const graphs::EquivalenceClass& of,
                               const traces::Catalogue& catalogue, graphs::Naming naming);

}  // namespace compmond::drawing
