// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "archive/shape.h"
#include "snapshot/component.h"
#include "snapshot/estimated_shape.h"

// The JSON's shape of components and their figures, as in shape.h.
namespace compmond::snapshot {

template <class A>
void shape(A& a, archive::As<Closed> auto& v) {
  a("returned", v.returned);
  a("abandoned", v.abandoned);
  a("thread_exit", v.thread_exit);
  a("exec", v.exec);
  a("lossy", v.lossy);
  a.maybe("failed", v.failed);
  a.maybe("jumped", v.jumped);
  if (A::kReads || v.failed_at_least) a.maybe("failed_at_least", v.failed_at_least);
  if (A::kReads || v.cut > 0) a.maybe("cut", v.cut);
}

template <class A>
void shape(A& a, archive::As<Sliced> auto& v) {
  a("seen", v.seen);
  a("slow_down", v.slow_down);
  a("uncertain_from_ns", v.uncertain_from_ns);
  a.maybe("orphans", v.orphans);
}

template <class A>
void shape(A& a, archive::As<Slo> auto& v) {
  a("objective_ns", v.objective_ns);
  a("violations", v.violations);
  a("unseen_ends", v.unseen_ends);
  a("violating_now", v.violating_now);
}

// What is said beside a null is not believed: unseen figures are 0 (Figures::seen).
template <class A, class T, class... Values>
void forget_unseen(const T& v, Values&... values) {
  if constexpr (A::kReads)
    if (!v.seen) ((values = {}), ...);
}

// The figures stand beside the other members of their component or operation.
template <class A>
void figures(A& a, archive::As<Figures> auto& v) {
  a.if_seen("calls", v.calls, v.seen);
  a.if_seen("open", v.open, v.seen);
  a.if_seen("raw_ns", v.raw_ns, v.seen);
  a.if_seen("real_ns", v.real_ns, v.seen);
  a.if_seen("net_real_ns", v.net_real_ns, v.seen);
  a.if_seen("mean_ns", v.mean_ns, v.seen);
  a.if_seen("min_ns", v.min_ns, v.seen);
  a.if_seen("max_ns", v.max_ns, v.seen);
  a.if_seen("p50_ns", v.p50_ns, v.seen);
  a.if_seen("p90_ns", v.p90_ns, v.seen);
  a.if_seen("p99_ns", v.p99_ns, v.seen);
  if (A::kReads || v.seen) a.maybe("uncertain_below_ns", v.uncertain_below_ns);
  a("hotness", v.hotness);
  a.maybe("ranked", v.ranked);
  if (A::kReads || v.seen) {
    a.maybe("waiting_ns", v.waiting_ns);
    a.maybe("mean_real_ns", v.mean_real_ns);
  }
  a.if_any("deviation_ns", v.deviation_ns);
  a.if_seen("closed", v.closed, v.seen);
  forget_unseen<A>(v, v.calls, v.open, v.raw_ns, v.real_ns, v.net_real_ns, v.mean_ns, v.min_ns,
                   v.max_ns, v.p50_ns, v.p90_ns, v.p99_ns, v.uncertain_below_ns, v.waiting_ns,
                   v.mean_real_ns, v.closed);
  a.maybe("uncertain", v.uncertain);
  a.maybe("truncated", v.truncated);
  a.maybe("unsure_ns", v.unsure_ns);
  a.if_any("slo", v.slo);
  a.maybe("at_least", v.at_least);
  a.if_any("estimated", v.estimated);
  a.if_any("evidence", v.evidence);
  a.if_any("observed_share", v.observed_share);
  a.if_any("not_extrapolated", v.not_extrapolated);
  a.if_any("sliced", v.sliced);
}

template <class A>
void shape(A& a, archive::As<Operation> auto& v) {
  a("name", v.name);
  a("symbol", v.symbol);
  a("image", v.image);
  a("interface", v.interface);
  a("exit_mode", v.exit_mode);
  a.maybe("engine", v.engine);
  a.maybe("state", v.state);
  a.if_any("since_ns", v.since_ns);
  a.maybe("site", v.site);
  a.maybe("moved_by", v.moved_by);
  a.maybe("reason", v.reason);
  figures(a, v.figures);
}

template <class A>
void shape(A& a, archive::As<Component::Subtree> auto& v) {
  a.if_seen("calls", v.calls, v.seen);
  a.if_seen("real_ns", v.real_ns, v.seen);
  a.if_seen("net_real_ns", v.net_real_ns, v.seen);
  a.if_any("estimated", v.estimated);
  a.maybe("at_least", v.at_least);
  a.maybe("uncertain", v.uncertain);
  a.maybe("unsure_ns", v.unsure_ns);
  if (A::kReads || v.seen) a.maybe("waiting_ns", v.waiting_ns);
  forget_unseen<A>(v, v.calls, v.real_ns, v.net_real_ns, v.waiting_ns);
}

template <class A>
void shape(A& a, archive::As<Component> auto& v) {
  a("name", v.name);
  a("parent", v.parent);
  a("status", v.status);
  a.maybe("color", v.color);
  a.maybe("kind", v.kind);
  figures(a, v.figures);
  a.maybe("subtree", v.subtree);
  a("operations", v.operations);
}

template <class A>
void shape(A& a, archive::As<Edge> auto& v) {
  a("from", v.from);
  a("to", v.to);
  a.if_seen("count", v.count, v.seen);
  a.if_seen("raw_ns", v.raw_ns, v.seen);
  forget_unseen<A>(v, v.count, v.raw_ns);
  a("declared", v.declared);
  a.if_any("estimated", v.estimated);
  a.if_any("not_extrapolated", v.not_extrapolated);
  a.maybe("at_least", v.at_least);
  a.maybe("unknown", v.unknown);
}

}  // namespace compmond::snapshot
