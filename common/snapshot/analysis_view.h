// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "snapshot/words.h"

// What a client of the daemon may ask about the traces of a window, and what it gets: the analyses
// of `compmond analyze` over what the history retains, cut to what a screen can show. Part of the
// protocol compmond.view/1. Times are ns as in view.h.
namespace compmond::snapshot {

struct AnalysisView {
  Word<Report> report;                  // as asked for
  Word<Level> level;                    // likewise, spelt out
  uint64_t start_ns = 0, end_ns = 0;    // the window
  uint64_t traces = 0, executions = 0;  // that it is about (after search and filters)
  uint64_t broken = 0;  // traces left out: some of their executions are not retained or were lost
  uint64_t unfinished = 0;  // traces left out: still running
  uint64_t left_out = 0;    // rows, executions, nodes beyond the limit
  bool partial =
      false;  // not all of the window is retained, or it holds more than is analysed at once
  uint64_t analysed_since_ns = 0;  // where partial: traces that began later are all there

  struct Operation {
    std::string component, name;
    bool operator==(const Operation&) const = default;
  };
  std::vector<Operation> operations;  // what `operation` below numbers

  struct TraceRow {  // report traces
    uint64_t id = 0;
    int64_t pid = 0, tid = 0;  // of its first execution
    uint64_t start_ns = 0, end_ns = 0;
    uint32_t operation = 0;  // its first execution's
    uint32_t executions = 0, max_depth = 0;
    uint32_t class_number = 0;
    bool failed = false;   // one of its executions did not return
    uint32_t threads = 1;  // that took part; several where arguments said so (docs/spec.md)
    std::string session;   // of its first execution, as an argument said; else empty
    bool operator==(const TraceRow&) const = default;
  };
  std::vector<TraceRow> rows;

  struct ClassRow {  // report classes, the largest first
    uint32_t number = 0;
    uint64_t cardinality = 0;
    uint32_t operation = 0;                        // the first execution's
    uint32_t executions = 0, max_depth = 0;        // of one of its traces
    uint64_t representative = 0;                   // trace id
    uint64_t min_ns = 0, mean_ns = 0, max_ns = 0;  // durations of its traces
    bool operator==(const ClassRow&) const = default;
  };
  std::vector<ClassRow> classes;

  struct Step {  // report trace: executions by eoi
    uint32_t operation = 0;
    int32_t caller = -1;  // index in steps, less than its own; -1: outside
    int64_t pid = 0, tid = 0;
    uint64_t start_ns = 0, end_ns = 0, real_ns = 0;
    uint32_t eoi = 0, ess = 0;
    bool failed = false;
    bool operator==(const Step&) const = default;
  };
  std::optional<TraceRow> trace;  // the one that `steps` are of
  std::vector<Step> steps;

  struct TreeNode {  // report call-tree: parents before children, siblings together; nodes[0] is
                     // the root "$"
    int32_t parent = -1;
    int64_t operation = -1;  // -1: the root
    uint64_t count = 0, raw_ns = 0, real_ns = 0;
    bool operator==(const TreeNode&) const = default;
  };
  std::vector<TreeNode> nodes;

  struct GraphNode {  // report dependency-graph
    std::string component;
    std::string operation;  // empty at level component
    bool operator==(const GraphNode&) const = default;
  };
  struct GraphEdge {
    int32_t from = -1;  // -1: outside
    int32_t to = 0;
    uint64_t count = 0;
    uint64_t min_ns = 0, mean_ns = 0, max_ns = 0;  // raw times of the called executions
    bool operator==(const GraphEdge&) const = default;
  };
  std::vector<GraphNode> graph_nodes;
  std::vector<GraphEdge> graph_edges;

  struct State {                 // report markov: a message
    int32_t from = -1, to = -1;  // in graph_nodes; -1: outside
    bool call = true;            // or a return
    bool operator==(const State&) const = default;
  };
  struct Transition {
    uint32_t from = 0, to = 0;  // in states
    double probability = 0;
    uint64_t count = 0;
    bool operator==(const Transition&) const = default;
  };
  std::vector<State> states;
  std::vector<Transition> transitions;

  bool operator==(const AnalysisView&) const = default;
};

// Whether all that its numbers refer to is there, and callers and parents come first. What comes
// from elsewhere is to be asked this before it is drawn.
bool well_formed(const AnalysisView& view);

}  // namespace compmond::snapshot
