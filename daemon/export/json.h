// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_writer.h"
#include "traces/call_tree.h"
#include "traces/dependency_graph.h"
#include "traces/equivalence.h"
#include "traces/markov.h"
#include "traces/messages.h"
#include "traces/sequence.h"

// Results of analyses as JSON, documented in docs/analysis.md: each function writes the members of
// an object that is open already.
namespace compmond::exporting {

void write_json(JsonWriter& json, const traces::DependencyGraph& graph);
void write_json_matrix(JsonWriter& json, const traces::DependencyGraph& graph);
void write_json(JsonWriter& json, const traces::CallTree& tree);
void write_json(JsonWriter& json, const traces::EquivalenceClasses& classes,
                const traces::Catalogue& catalogue, traces::Naming naming);
void write_json(JsonWriter& json, const traces::MarkovChain& chain);
void write_json(JsonWriter& json, const traces::Sequence& sequence);
void write_json(JsonWriter& json, const traces::TraceTiming& timing);
// These two are elements of a list.
void write_json(JsonWriter& json, const traces::Trace& trace, const traces::Catalogue& catalogue);
void write_json_messages(JsonWriter& json, const traces::Trace& trace, traces::Nodes& nodes);

}  // namespace compmond::exporting
