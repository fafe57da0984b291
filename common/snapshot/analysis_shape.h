// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "snapshot/analysis_view.h"
#include "snapshot/shape.h"

// The JSON's shape of the answers to analyses, as in shape.h.
namespace compmond::snapshot {

template <class A>
void shape(A& a, As<AnalysisView::Operation> auto& v) {
  a("component", v.component);
  a("name", v.name);
}

template <class A>
void shape(A& a, As<AnalysisView::TraceRow> auto& v) {
  a("id", v.id);
  a("pid", v.pid);
  a("tid", v.tid);
  a("start_ns", v.start_ns);
  a("end_ns", v.end_ns);
  a("operation", v.operation);
  a("executions", v.executions);
  a("max_depth", v.max_depth);
  a("class", v.class_number);
  a("failed", v.failed);
  a.maybe("threads", v.threads);
  a.maybe("session", v.session);
}

template <class A>
void shape(A& a, As<AnalysisView::ClassRow> auto& v) {
  a("number", v.number);
  a("cardinality", v.cardinality);
  a("operation", v.operation);
  a("executions", v.executions);
  a("max_depth", v.max_depth);
  a("representative", v.representative);
  a("min_ns", v.min_ns);
  a("mean_ns", v.mean_ns);
  a("max_ns", v.max_ns);
}

template <class A>
void shape(A& a, As<AnalysisView::Step> auto& v) {
  a("operation", v.operation);
  a("caller", v.caller);
  a("pid", v.pid);
  a("tid", v.tid);
  a("start_ns", v.start_ns);
  a("end_ns", v.end_ns);
  a("real_ns", v.real_ns);
  a("eoi", v.eoi);
  a("ess", v.ess);
  a("failed", v.failed);
}

template <class A>
void shape(A& a, As<AnalysisView::TreeNode> auto& v) {
  a("parent", v.parent);
  a("operation", v.operation);
  a("count", v.count);
  a("raw_ns", v.raw_ns);
  a("real_ns", v.real_ns);
}

template <class A>
void shape(A& a, As<AnalysisView::GraphNode> auto& v) {
  a("component", v.component);
  a("operation", v.operation);
}

template <class A>
void shape(A& a, As<AnalysisView::GraphEdge> auto& v) {
  a("from", v.from);
  a("to", v.to);
  a("count", v.count);
  a("min_ns", v.min_ns);
  a("mean_ns", v.mean_ns);
  a("max_ns", v.max_ns);
}

template <class A>
void shape(A& a, As<AnalysisView::State> auto& v) {
  a("from", v.from);
  a("to", v.to);
  a("call", v.call);
}

template <class A>
void shape(A& a, As<AnalysisView::Transition> auto& v) {
  a("from", v.from);
  a("to", v.to);
  a("probability", v.probability);
  a("count", v.count);
}

template <class A>
void shape(A& a, As<AnalysisView> auto& v) {
  a("report", v.report);
  a("level", v.level);
  a("start_ns", v.start_ns);
  a("end_ns", v.end_ns);
  a("traces", v.traces);
  a("executions", v.executions);
  a("broken", v.broken);
  a("unfinished", v.unfinished);
  a("left_out", v.left_out);
  a("partial", v.partial);
  a("analysed_since_ns", v.analysed_since_ns);
  a.maybe("operations", v.operations);
  a.maybe("rows", v.rows);
  a.maybe("classes", v.classes);
  a.maybe("trace", v.trace);
  a.maybe("steps", v.steps);
  a.maybe("nodes", v.nodes);
  a.maybe("graph_nodes", v.graph_nodes);
  a.maybe("graph_edges", v.graph_edges);
  a.maybe("states", v.states);
  a.maybe("transitions", v.transitions);
}

}  // namespace compmond::snapshot
