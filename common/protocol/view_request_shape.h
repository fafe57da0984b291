// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "archive/shape.h"
#include "protocol/view_request.h"

// The JSON's shape of what is asked for, as in shape.h.
namespace compmond::snapshot {

template <class A>
void shape(A& a, archive::As<AnalysisRequest> auto& v) {
  a("report", v.report);
  a.maybe("level", v.level);
  a.maybe("trace", v.trace);
  a.maybe("class", v.class_number);
  a.maybe("search", v.search);
  a.maybe("min_duration_ns", v.min_duration_ns);
  a.maybe("sort", v.sort);
  a.maybe("ascending", v.ascending);
  a.maybe("limit", v.limit);
  a.maybe("component", v.component);
  a.maybe("operation", v.operation);
  a.maybe("alone", v.alone);
}

template <class A>
void shape(A& a, archive::As<TimeWindow> auto& v) {
  a.maybe("last_s", v.last_s);
  a.maybe("start_ns", v.start_ns);
  a.maybe("end_ns", v.end_ns);
}

template <class A>
void shape(A& a, archive::As<ViewFilter> auto& v) {
  a.maybe("components", v.components);
  a.maybe("operations", v.operations);
  a.maybe("threads", v.threads);
  a.maybe("min_duration_ns", v.min_duration_ns);
}

template <class A>
void shape(A& a, archive::As<ViewRequest::Strip> auto& v) {
  a.maybe("start_ns", v.start_ns);
  a.maybe("end_ns", v.end_ns);
  a("columns", v.columns);
}

template <class A>
void shape(A& a, archive::As<ViewRequest::Executions> auto& v) {
  a.maybe("start_ns", v.start_ns);
  a.maybe("end_ns", v.end_ns);
  a.maybe("pixels", v.pixels);
  a.maybe("limit", v.limit);
}

template <class A>
void shape(A& a, archive::As<HeatWish> auto& v) {
  a.maybe("scale", v.scale);
  a.maybe("floor_pct", v.floor_pct);
}

template <class A>
void shape(A& a, archive::As<ViewRequest> auto& v) {
  a.maybe("id", v.id);
  a.maybe("window", v.window);
  a.maybe("metric", v.metric);
  a.maybe("heat", v.heat);
  a.maybe("filter", v.filter);
  a.maybe("snapshot", v.snapshot);
  a.maybe("strip", v.strip);
  a.maybe("executions", v.executions);
  a.maybe("details", v.details);
  a.maybe("analysis", v.analysis);
}

}  // namespace compmond::snapshot
