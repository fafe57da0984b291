// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "archive/shape.h"
#include "snapshot/estimated_shape.h"
#include "snapshot/health.h"

// The JSON's shape of a snapshot's health, as in shape.h.
namespace compmond::snapshot {

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
void shape(A& a, archive::As<Health::OverheadChecked> auto& v) {
  a("start_ns", v.start_ns);
  a("end_ns", v.end_ns);
  a("by_costs_pct", v.by_costs_pct);
  a("by_samples_pct", v.by_samples_pct);
  a("low_pct", v.low_pct);
  a("high_pct", v.high_pct);
  a("intervals", v.intervals);
  a("apart", v.apart);
  a("doubt", v.doubt);
}

template <class A>
void shape(A& a, archive::As<Health::Strangers> auto& v) {
  a("calls", v.calls);
  a("processes", v.processes);
  a.maybe("processes_at_least", v.processes_at_least);
  a("cost_ns", v.cost_ns);
  a.if_any("cost_pct", v.cost_pct);
  a("files", v.files);
}

template <class A>
void shape(A& a, archive::As<Health::Busy::Span> auto& v) {
  a("start_ns", v.start_ns);
  a("end_ns", v.end_ns);
}

template <class A>
void shape(A& a, archive::As<Health::Busy> auto& v) {
  a("now", v.now);
  a("whole_pct", v.whole_pct);
  a("spans", v.spans);
}

template <class A>
void shape(A& a, archive::As<Health::Switch> auto& v) {
  a("at_ns", v.at_ns);
  a("on", v.on);
  a.maybe("what", v.what);
}

template <class A>
void shape(A& a, archive::As<Health::Slice> auto& v) {
  a("start_ns", v.start_ns);
  a("end_ns", v.end_ns);
  a("operations", v.operations);
  a("slow_down", v.slow_down);
}

template <class A>
void shape(A& a, archive::As<Health::Sliced> auto& v) {
  a("taken", v.taken);
  a("share", v.share);
  a("slow_down", v.slow_down);
  a("inputs_share", v.inputs_share);
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
  a.maybe("failed", v.failed);
  if (A::kReads || v.failed_at_least) a.maybe("failed_at_least", v.failed_at_least);
  a.maybe("jumped", v.jumped);
  a.maybe("transfers", v.transfers);
  a.maybe("transfers_ns", v.transfers_ns);
  a.maybe("beside_ns", v.beside_ns);
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
  a.if_any("overhead_checked", v.overhead_checked);
  a.if_any("strangers", v.strangers);
  a("throttled", v.throttled);
  a.maybe("disabled", v.disabled);
  a.maybe("switches", v.switches);
  a.maybe("probes_paused", v.probes_paused);
  a.if_any("busy", v.busy);
  a.maybe("slices", v.slices);
  a.if_any("sliced", v.sliced);
  a.maybe("notes", v.notes);
  a.maybe("history_bytes", v.history_bytes);
  a.if_any("samples", v.samples);
}

}  // namespace compmond::snapshot
