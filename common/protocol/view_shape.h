// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/analysis_shape.h"
#include "protocol/view.h"
#include "snapshot/snapshot_shape.h"

// The JSON's shape of views, as in shape.h.
namespace compmond::snapshot {

template <class A>
void shape(A& a, archive::As<StripView::Violations> auto& v) {
  a("component", v.component);
  a("column", v.column);
  a("count", v.count);
}

template <class A>
void shape(A& a, archive::As<StripView> auto& v) {
  a("start_ns", v.start_ns);
  a("end_ns", v.end_ns);
  a("columns", v.columns);
  a("components", v.components);
  a("real_ns", v.real_ns);
  a.maybe("lost", v.lost);
  a.maybe("violations", v.violations);
  a.maybe("slices", v.slices);
}

template <class A>
void shape(A& a, archive::As<ExecutionsView::Operation> auto& v) {
  a("component", v.component);
  a("name", v.name);
  a.if_any("objective_ns", v.objective_ns);
}

template <class A>
void shape(A& a, archive::As<ExecutionsView::Execution> auto& v) {
  a("operation", v.operation);
  a("caller", v.caller);
  thread_and_times(a, v);
  a("real_ns", v.real_ns);
  a("trace_id", v.trace_id);
  a("eoi", v.eoi);
  a("ess", v.ess);
  a("closed", v.closed);
}

template <class A>
void shape(A& a, archive::As<ExecutionsView::Fold> auto& v) {
  a("operation", v.operation);
  a("pid", v.pid);
  a("tid", v.tid);
  a("ess", v.ess);
  a("start_ns", v.start_ns);
  a("end_ns", v.end_ns);
  a("count", v.count);
  a("raw_ns", v.raw_ns);
  a("real_ns", v.real_ns);
  a.maybe("violations", v.violations);
}

template <class A>
void shape(A& a, archive::As<ExecutionsView::Away> auto& v) {
  a("component", v.component);
  a("start_ns", v.start_ns);
  a("end_ns", v.end_ns);
}

template <class A>
void shape(A& a, archive::As<ExecutionsView::Sampled> auto& v) {
  a("component", v.component);
  a("real_ns", v.real_ns);
}

template <class A>
void shape(A& a, archive::As<ExecutionsView> auto& v) {
  a("start_ns", v.start_ns);
  a("end_ns", v.end_ns);
  a("operations", v.operations);
  a("executions", v.executions);
  a("folds", v.folds);
  a("left_out", v.left_out);
  a("partial", v.partial);
  a.maybe("away", v.away);
  a.maybe("sampled", v.sampled);
}

template <class A>
void shape(A& a, archive::As<DetailsView::Bucket> auto& v) {
  a("from_ns", v.from_ns);
  a("to_ns", v.to_ns);
  a("count", v.count);
}

template <class A>
void shape(A& a, archive::As<DetailsView> auto& v) {
  a("component", v.component);
  a("histogram", v.histogram);
  a("recent", v.recent);
}

template <class A>
void shape(A& a, archive::As<RunState> auto& v) {
  a("start_ns", v.start_ns);
  a("now_ns", v.now_ns);
  a("live", v.live);
  a("replay", v.replay);
  a("events_per_s", v.events_per_s);
  a("complete_since_ns", v.complete_since_ns);
  a.maybe("paused", v.paused);
  a.maybe("speed", v.speed);
  a.maybe("end_ns", v.end_ns);
}

template <class A>
void shape(A& a, archive::As<View> auto& v) {
  a("id", v.id);
  a("run", v.run);
  a.maybe("snapshot", v.snapshot);
  a.maybe("strip", v.strip);
  a.maybe("executions", v.executions);
  a.maybe("details", v.details);
  a.maybe("analysis", v.analysis);
}

}  // namespace compmond::snapshot
