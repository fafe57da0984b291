// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/out.h"
#include "graphs/call_tree.h"
#include "graphs/dependency_graph.h"
#include "graphs/equivalence.h"
#include "graphs/markov.h"
#include "graphs/sequence.h"

// Results of analyses as plain text for people.
namespace compmond::exporting {

void write_text(Out& out, const graphs::DependencyGraph& graph);
void write_text_matrix(Out& out, const graphs::DependencyGraph& graph);
void write_text(Out& out, const graphs::CallTree& tree);
void write_text(Out& out, const graphs::EquivalenceClasses& classes,
                const traces::Catalogue& catalogue, graphs::Naming naming);
void write_text(Out& out, const graphs::MarkovChain& chain);
void write_text(Out& out, const graphs::Sequence& sequence);
void write_text(Out& out, const graphs::TraceTiming& timing);
// One trace: its executions, indented by depth, or its messages, a line each.
void write_text(Out& out, const traces::Trace& trace, graphs::Nodes& nodes);
void write_text_messages(Out& out, const traces::Trace& trace, graphs::Nodes& nodes);

}  // namespace compmond::exporting
