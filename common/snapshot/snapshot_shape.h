// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "archive/shape.h"
#include "snapshot/component_shape.h"
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
}

template <class A>
void shape(A& a, archive::As<Thread> auto& v) {
  a("pid", v.pid);
  a("tid", v.tid);
  a("name", v.name);
  a.if_seen("calls", v.calls, v.seen);
  a.if_seen("raw_ns", v.raw_ns, v.seen);
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
void shape(A& a, archive::As<Health::Refused> auto& v) {
  a("symbol", v.symbol);
  a("reason", v.reason);
}

template <class A>
void shape(A& a, archive::As<Health::ProbeCost> auto& v) {
  a.maybe("engine", v.engine);
  a("site", v.site);
  a.maybe("exit_mode", v.exit_mode);
  a("inside_ns", v.inside_ns);
  a("outside_ns", v.outside_ns);
}

template <class A>
void shape(A& a, archive::As<Health::Engine> auto& v) {
  a("name", v.name);
  a("attach", v.attach);
  a("writes_target", v.writes_target);
}

template <class A>
void shape(A& a, archive::As<Health> auto& v) {
  a("hits", v.hits);
  a("delivered", v.delivered);
  a("lost", v.lost);
  a.maybe("pending", v.pending);
  a.maybe_inner("lost_causes", [&](auto& inner) {
    inner("ring", v.lost_ring);
    inner("slots", v.lost_slots);
    inner.maybe("log", v.lost_log);
    inner.maybe("refused", v.lost_refused);
  });
  a("orphan_exits", v.orphan_exits);
  a("abandoned", v.abandoned);
  a.maybe("balanced", v.balanced);
  a.maybe_inner("trace", [&](auto& inner) {
    inner("entries", v.entries);
    inner("open", v.open);
    inner("clamped", v.clamped);
    inner("evicted", v.evicted);
    inner("stack_switches", v.stack_switches);
  });
  a("attached", v.attached);
  a.maybe("attach", v.attach);
  a.maybe("engines", v.engines);
  a("refused", v.refused);
  a("probe_cost", v.probe_cost);
  a("overhead_pct", v.overhead_pct);
  a("throttled", v.throttled);
  a.maybe("notes", v.notes);
  a.maybe("history_bytes", v.history_bytes);
  a.if_any("samples", v.samples);
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
  a("components", v.components);
  a("edges", v.edges);
  a("threads", v.threads);
  a.if_any("slo", v.slo);
  a("health", v.health);
}

}  // namespace compmond::snapshot
