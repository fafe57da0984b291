// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/call_tree.h"
#include "analysis/dependency_graph.h"
#include "analysis/equivalence.h"
#include "analysis/markov.h"
#include "analysis/messages.h"
#include "analysis/sequence.h"
#include "base/json_writer.h"

// Results of analyses as JSON, documented in docs/analysis.md: each function writes the members of
// an object that is open already.
namespace compmond::exporting {

void write_json(JsonWriter& json, const analysis::DependencyGraph& graph);
void write_json_matrix(JsonWriter& json, const analysis::DependencyGraph& graph);
void write_json(JsonWriter& json, const analysis::CallTree& tree);
void write_json(JsonWriter& json, const analysis::EquivalenceClasses& classes,
                const analysis::Catalogue& catalogue, analysis::Naming naming);
void write_json(JsonWriter& json, const analysis::MarkovChain& chain);
void write_json(JsonWriter& json, const analysis::Sequence& sequence);
void write_json(JsonWriter& json, const analysis::TraceTiming& timing);
// These two are elements of a list.
void write_json(JsonWriter& json, const analysis::Trace& trace,
                const analysis::Catalogue& catalogue);
void write_json_messages(JsonWriter& json, const analysis::Trace& trace, analysis::Nodes& nodes);

}  // namespace compmond::exporting
