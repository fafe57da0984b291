// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "archive/shape.h"
#include "snapshot/component_shape.h"
#include "snapshot/health_shape.h"
#include "snapshot/snapshot.h"

// The JSON's shape of a whole snapshot, as in shape.h.
namespace compmond::snapshot {

inline constexpr const char* kSchema = "compmond.snapshot/1";

template <class A>
void shape(A& a, archive::As<Host> auto& v) {
  a("name", v.name);
  a("kernel", v.kernel);
  a("cpu", v.cpu);
  a("cpus", v.cpus);
}

template <class A>
void shape(A& a, archive::As<Target> auto& v) {
  a("pid", v.pid);
  a("exe", v.exe);
  a("build_id", v.build_id);
  a("start_ns", v.start_ns);
  a("alive", v.alive);
  a.if_any("ended_ns", v.ended_ns);
  a.if_any("exit_status", v.exit_status);
  a.if_any("end_signal", v.end_signal);
  a.maybe("name", v.name);
  a.if_any("estimated", v.estimated);
}

template <class A>
void shape(A& a, archive::As<Thread> auto& v) {
  a("pid", v.pid);
  a("tid", v.tid);
  a("name", v.name);
  a.if_seen("calls", v.calls, v.seen);
  a.if_seen("raw_ns", v.raw_ns, v.seen);
  forget_unseen<A>(v, v.calls, v.raw_ns);
  a.if_any("estimated", v.estimated);
}

template <class A>
void shape(A& a, archive::As<Violation> auto& v) {
  a("component", v.component);
  a("operation", v.operation);
  a("pid", v.pid);
  a("tid", v.tid);
  a("start_ns", v.start_ns);
  a("raw_ns", v.raw_ns);
  a("objective_ns", v.objective_ns);
  a("trace_id", v.trace_id);
  a("eoi", v.eoi);
  a("closed", v.closed);
}

template <class A>
void shape(A& a, archive::As<Objectives> auto& v) {
  a("violations", v.violations);
  a("violating_now", v.violating_now);
  a("since_start", v.since_start);
  a("newest", v.newest);
  a("left_out", v.left_out);
  a("unjudged", v.unjudged);
}

template <class A>
void shape(A& a, archive::As<Heat> auto& v) {
  a("scale", v.scale);
  a("ranks", v.ranks);
  a("full", v.full);
  a.maybe("cold", v.cold);
  a.maybe("floor", v.floor);
}

template <class A>
void shape(A& a, archive::As<Snapshot> auto& v) {
  std::string schema = kSchema;
  a("schema", schema);
  a("created", v.created);
  a("host", v.host);
  a("targets", v.targets);
  a.maybe("targets_left_out", v.targets_left_out);
  a.inner("spec", [&](auto& inner) {
    inner("name", v.spec_name);
    inner("path", v.spec_path);
  });
  a.maybe("start_ns", v.start_ns);
  a.maybe("now_ns", v.now_ns);
  a.inner("window", [&](auto& inner) {
    inner("start_ns", v.window_start_ns);
    inner("end_ns", v.window_end_ns);
    inner.maybe("partial", v.window_partial);
  });
  a("metric", v.metric);
  a.if_any("heat", v.heat);
  a("components", v.components);
  a("edges", v.edges);
  a("threads", v.threads);
  a.if_any("slo", v.slo);
  a("health", v.health);
}

}  // namespace compmond::snapshot
