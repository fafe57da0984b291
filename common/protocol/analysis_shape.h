// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "archive/shape.h"
#include "protocol/analysis_view.h"
#include "protocol/inside_shape.h"

// The JSON's shape of the answers to analyses, as in shape.h.
namespace compmond::snapshot {

// What some thread did: which one, and when.
template <class A>
void thread_and_times(A& a, auto& v) {
  a("pid", v.pid);
  a("tid", v.tid);
  a("start_ns", v.start_ns);
  a("end_ns", v.end_ns);
}

template <class A>
void shape(A& a, archive::As<AnalysisView::Operation> auto& v) {
  a("component", v.component);
  a("name", v.name);
}

template <class A>
void shape(A& a, archive::As<TraceRow> auto& v) {
  a("id", v.id);
  thread_and_times(a, v);
  a("operation", v.operation);
  a("executions", v.executions);
  a("max_depth", v.max_depth);
  a("class", v.class_number);
  a("failed", v.failed);
  a.maybe("threads", v.threads);
  a.maybe("session", v.session);
}

template <class A>
void shape(A& a, archive::As<Classes::Row> auto& v) {
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
void shape(A& a, archive::As<OneTrace::Step> auto& v) {
  a("operation", v.operation);
  a("caller", v.caller);
  thread_and_times(a, v);
  a("real_ns", v.real_ns);
  a("eoi", v.eoi);
  a("ess", v.ess);
  a("failed", v.failed);
  a.if_any("net_real_ns", v.less_probes_ns);
}

template <class A>
void shape(A& a, archive::As<CallTree::Node> auto& v) {
  a("parent", v.parent);
  a("operation", v.operation);
  a("count", v.count);
  a("raw_ns", v.raw_ns);
  a("real_ns", v.real_ns);
  a.if_any("net_real_ns", v.less_probes_ns);
}

template <class A>
void shape(A& a, archive::As<GraphNode> auto& v) {
  a("component", v.component);
  a("operation", v.operation);
  a.if_any("place", v.place);
}

template <class A>
void shape(A& a, archive::As<DependencyGraph::Edge> auto& v) {
  a("from", v.from);
  a("to", v.to);
  a("count", v.count);
  a("min_ns", v.min_ns);
  a("mean_ns", v.mean_ns);
  a("max_ns", v.max_ns);
}

template <class A>
void shape(A& a, archive::As<Markov::State> auto& v) {
  a("from", v.from);
  a("to", v.to);
  a("call", v.call);
}

template <class A>
void shape(A& a, archive::As<Markov::Transition> auto& v) {
  a("from", v.from);
  a("to", v.to);
  a("probability", v.probability);
  a("count", v.count);
}

// A member of one report: written empty, and not read, where the view is of another one (null).
template <class A, class T>
void member_of_report(A& a, const char* key, T* member) {
  if (member)
    a.maybe(key, *member);
  else if constexpr (!A::kReads)
    a.maybe(key, std::remove_const_t<T>{});
}

template <class A>
void shape(A& a, archive::As<AnalysisView> auto& v) {
  a("report", v.report);
  if constexpr (A::kReads) v.content = empty_content(v.report);
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
  a.if_any("observed_share", v.observed_share);
  a.maybe("operations", v.operations);
  const auto member = [&]<class R, class T>(T R::*of) {
    auto* report = v.template as<R>();
    return report ? &(report->*of) : nullptr;
  };
  member_of_report(a, "rows", member(&Traces::rows));
  member_of_report(a, "classes", member(&Classes::rows));
  member_of_report(a, "trace", member(&OneTrace::trace));
  member_of_report(a, "steps", member(&OneTrace::steps));
  member_of_report(a, "nodes", member(&CallTree::nodes));
  auto* nodes = member(&DependencyGraph::nodes);
  member_of_report(a, "graph_nodes", nodes ? nodes : member(&Markov::nodes));
  member_of_report(a, "graph_edges", member(&DependencyGraph::edges));
  member_of_report(a, "states", member(&Markov::states));
  member_of_report(a, "transitions", member(&Markov::transitions));
  if (auto* inside = v.template as<Inside>()) a.maybe("inside", *inside);
}

}  // namespace compmond::snapshot
