// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/words.h"
#include "protocol/inside_report.h"
#include "snapshot/words.h"

// What each report about a window tells: of its traces, and of its samples (inside_report.h).
// `operation` numbers the operations of the AnalysisView around it. Times are ns as in view.h.
namespace compmond::snapshot {

struct TraceRow {
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

struct Traces {
  std::vector<TraceRow> rows;  // in the order asked for
  bool operator==(const Traces&) const = default;
};

struct Classes {
  struct Row {
    uint32_t number = 0;
    uint64_t cardinality = 0;
    uint32_t operation = 0;                        // the first execution's
    uint32_t executions = 0, max_depth = 0;        // of one of its traces
    uint64_t representative = 0;                   // trace id
    uint64_t min_ns = 0, mean_ns = 0, max_ns = 0;  // durations of its traces
    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows;  // the largest first
  bool operator==(const Classes&) const = default;
};

struct OneTrace {
  struct Step {
    uint32_t operation = 0;
    int32_t caller = -1;  // index in steps, less than its own; -1: outside
    int64_t pid = 0, tid = 0;
    uint64_t start_ns = 0, end_ns = 0, real_ns = 0;
    uint32_t eoi = 0, ess = 0;
    bool failed = false;
    std::optional<uint64_t>
        less_probes_ns;  // real_ns without what probes took; none: they took nothing
    uint64_t net_real_ns() const { return less_probes_ns.value_or(real_ns); }
    bool operator==(const Step&) const = default;
  };
  std::optional<TraceRow> trace;  // none: it is not there
  std::vector<Step> steps;        // its executions by eoi
  bool operator==(const OneTrace&) const = default;
};

struct CallTree {
  struct Node {
    int32_t parent = -1;
    int64_t operation = -1;  // -1: the root
    uint64_t count = 0, raw_ns = 0, real_ns = 0;
    std::optional<uint64_t> less_probes_ns;  // likewise
    uint64_t net_real_ns() const { return less_probes_ns.value_or(real_ns); }
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;  // parents before children, siblings together; [0] is the root "$"
  bool operator==(const CallTree&) const = default;
};

// A component, an operation of it, or what executes it.
struct GraphNode {
  std::string component;             // empty at levels program and host
  std::string operation;             // only at level operation
  std::optional<std::string> place;  // at levels program and host: its name
  bool operator==(const GraphNode&) const = default;
};

struct DependencyGraph {
  struct Edge {
    int32_t from = -1;  // in nodes; -1: outside
    int32_t to = 0;
    uint64_t count = 0;
    uint64_t min_ns = 0, mean_ns = 0, max_ns = 0;  // raw times of the called executions
    bool operator==(const Edge&) const = default;
  };
  std::vector<GraphNode> nodes;
  std::vector<Edge> edges;
  bool operator==(const DependencyGraph&) const = default;
};

struct Markov {
  struct State {                 // a message
    int32_t from = -1, to = -1;  // in nodes; -1: outside
    bool call = true;            // or a return
    bool operator==(const State&) const = default;
  };
  struct Transition {
    uint32_t from = 0, to = 0;  // in states
    double probability = 0;
    uint64_t count = 0;
    bool operator==(const Transition&) const = default;
  };
  std::vector<GraphNode> nodes;
  std::vector<State> states;
  std::vector<Transition> transitions;
  bool operator==(const Markov&) const = default;
};

// std::monostate: a report that is not known here.
using ReportContent = std::variant<std::monostate, Traces, Classes, OneTrace, CallTree,
                                   DependencyGraph, Markov, Inside>;

// What belongs to the word, with nothing in it.
ReportContent empty_content(const Word<Report>& report);

// Whether all that its numbers refer to is there, and callers and parents come first.
// `operations`: how many there are.
bool well_formed(const ReportContent& content, size_t operations);

}  // namespace compmond::snapshot
