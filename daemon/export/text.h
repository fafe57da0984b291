// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/call_tree.h"
#include "analysis/dependency_graph.h"
#include "analysis/equivalence.h"
#include "analysis/markov.h"
#include "analysis/sequence.h"
#include "base/out.h"

// Results of analyses as plain text for people.
namespace compmond::exporting {

void write_text(Out& out, const analysis::DependencyGraph& graph);
void write_text_matrix(Out& out, const analysis::DependencyGraph& graph);
void write_text(Out& out, const analysis::CallTree& tree);
void write_text(Out& out, const analysis::EquivalenceClasses& classes,
                const analysis::Catalogue& catalogue, analysis::Naming naming);
void write_text(Out& out, const analysis::MarkovChain& chain);
void write_text(Out& out, const analysis::Sequence& sequence);
void write_text(Out& out, const analysis::TraceTiming& timing);
// One trace: its executions, indented by depth, or its messages, a line each.
void write_text(Out& out, const analysis::Trace& trace, analysis::Nodes& nodes);
void write_text_messages(Out& out, const analysis::Trace& trace, analysis::Nodes& nodes);

}  // namespace compmond::exporting
