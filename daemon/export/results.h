// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_writer.h"
#include "base/out.h"
#include "graphs/call_tree.h"
#include "graphs/dependency_graph.h"
#include "graphs/equivalence.h"
#include "graphs/markov.h"
#include "graphs/messages.h"
#include "graphs/sequence.h"
#include "traces/traced.h"

// Results of analyses as JSON, documented in docs/analysis.md, where each function writes the
// members of an object that is open already, and as plain text for people.
namespace compmond::exporting {

void write_json(JsonWriter& json, const graphs::DependencyGraph& graph);
void write_text(Out& out, const graphs::DependencyGraph& graph);
void write_json_matrix(JsonWriter& json, const graphs::DependencyGraph& graph);
void write_text_matrix(Out& out, const graphs::DependencyGraph& graph);
void write_json(JsonWriter& json, const graphs::CallTree& tree);
void write_text(Out& out, const graphs::CallTree& tree);
void write_json(JsonWriter& json, const graphs::EquivalenceClasses& classes,
                const traces::Catalogue& catalogue, graphs::Naming naming);
void write_text(Out& out, const graphs::EquivalenceClasses& classes,
                const traces::Catalogue& catalogue, graphs::Naming naming);
void write_json(JsonWriter& json, const graphs::MarkovChain& chain);
void write_text(Out& out, const graphs::MarkovChain& chain);
void write_json(JsonWriter& json, const graphs::Sequence& sequence);
void write_text(Out& out, const graphs::Sequence& sequence);
void write_json(JsonWriter& json, const graphs::TraceTiming& timing);
void write_text(Out& out, const graphs::TraceTiming& timing);

// One trace, as JSON an element of a list: its executions, in text indented by depth, or its
// messages, in text a line each.
void write_json(JsonWriter& json, const traces::Trace& trace, const traces::Catalogue& catalogue);
void write_text(Out& out, const traces::Trace& trace, graphs::Nodes& nodes);
void write_json_messages(JsonWriter& json, const traces::Trace& trace, graphs::Nodes& nodes);
void write_text_messages(Out& out, const traces::Trace& trace, graphs::Nodes& nodes);

}  // namespace compmond::exporting
