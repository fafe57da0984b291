// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/out.h"
#include "traces/call_tree.h"
#include "traces/dependency_graph.h"
#include "traces/equivalence.h"
#include "traces/markov.h"
#include "traces/sequence.h"

// Results of analyses as plain text for people.
namespace compmond::exporting {

void write_text(Out& out, const traces::DependencyGraph& graph);
void write_text_matrix(Out& out, const traces::DependencyGraph& graph);
void write_text(Out& out, const traces::CallTree& tree);
void write_text(Out& out, const traces::EquivalenceClasses& classes,
                const traces::Catalogue& catalogue, traces::Naming naming);
void write_text(Out& out, const traces::MarkovChain& chain);
void write_text(Out& out, const traces::Sequence& sequence);
void write_text(Out& out, const traces::TraceTiming& timing);
// One trace: its executions, indented by depth, or its messages, a line each.
void write_text(Out& out, const traces::Trace& trace, traces::Nodes& nodes);
void write_text_messages(Out& out, const traces::Trace& trace, traces::Nodes& nodes);

}  // namespace compmond::exporting
