// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_writer.h"
#include "drawing/picture.h"
#include "export/report.h"
#include "graphs/call_tree.h"

// How each report of report_types() is made, and what they share.
namespace compmond::exporting {

using MakeReport = std::unique_ptr<Report>(const traces::Catalogue& catalogue,
                                           const ReportOptions& options, Out& out);
// A report of the class `Made`, whose constructor takes these and, behind them, `more`.
template <class Made, auto... more>
std::unique_ptr<Report> make(const traces::Catalogue& catalogue, const ReportOptions& options,
                             Out& out) {
  return std::make_unique<Made>(catalogue, options, out, more...);
}

extern MakeReport* const make_traces;
extern MakeReport* const make_message_traces;
extern MakeReport* const make_equivalence_classes;
extern MakeReport* const make_dependency_graph;
extern MakeReport* const make_matrix;
extern MakeReport* const make_call_tree;
extern MakeReport* const make_aggregated_call_tree;
extern MakeReport* const make_flame_graph;
extern MakeReport* const make_sequence;
extern MakeReport* const make_trace_timing;
extern MakeReport* const make_markov;

graphs::Naming naming_of(const ReportOptions& options, graphs::Level usual);
// A graph as DOT, PlantUML or SVG.
Result<void> write_picture(Out& out, const drawing::GraphPicture& picture, Format format);
// The members that every document begins and ends with.
void begin_document(JsonWriter& json, const char* report);
void end_document(JsonWriter& json, const traces::LogFacts& facts);
// A whole one; `members(json)` writes what is between.
template <class Members>
void write_document(Out& out, const char* report, const traces::LogFacts& facts,
                    Members&& members) {
  JsonWriter json(out);
  begin_document(json, report);
  members(json);
  end_document(json, facts);
}
// One stack per line, root first, and its real time in ns: what flame graph programs read.
// Exit::kData, and nothing written, of a tree whose stacks are too large together.
Result<void> write_folded(Out& out, const graphs::CallTree& tree);

}  // namespace compmond::exporting
