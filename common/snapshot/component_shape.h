// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "snapshot/component.h"
#include "snapshot/shape.h"

// The JSON's shape of components and their figures, as in shape.h.
namespace compmond::snapshot {

template <class A>
void shape(A& a, As<Closed> auto& v) {
  a("returned", v.returned);
  a("abandoned", v.abandoned);
  a("thread_exit", v.thread_exit);
  a("exec", v.exec);
  a("lossy", v.lossy);
}

template <class A>
void shape(A& a, As<Slo> auto& v) {
  a("objective_ns", v.objective_ns);
  a("violations", v.violations);
  a("unseen_ends", v.unseen_ends);
  a("violating_now", v.violating_now);
}

// The figures stand beside the other members of their component or operation.
template <class A>
void figures(A& a, As<Figures> auto& v) {
  a("calls", v.calls);
  a("open", v.open);
  a("raw_ns", v.raw_ns);
  a("real_ns", v.real_ns);
  a("net_real_ns", v.net_real_ns);
  a("mean_ns", v.mean_ns);
  a("min_ns", v.min_ns);
  a("max_ns", v.max_ns);
  a("p50_ns", v.p50_ns);
  a("p90_ns", v.p90_ns);
  a("p99_ns", v.p99_ns);
  a("hotness", v.hotness);
  a("closed", v.closed);
  a.maybe("uncertain", v.uncertain);
  a.maybe("truncated", v.truncated);
  a.if_any("slo", v.slo);
  a.maybe("at_least", v.at_least);
}

template <class A>
void shape(A& a, As<Operation> auto& v) {
  a("name", v.name);
  a("symbol", v.symbol);
  a("image", v.image);
  a("interface", v.interface);
  a("exit_mode", v.exit_mode);
  a.maybe("engine", v.engine);
  a.maybe("site", v.site);
  a.maybe("moved_by", v.moved_by);
  a.maybe("reason", v.reason);
  figures(a, v.figures);
}

template <class A>
void shape(A& a, As<Component::Subtree> auto& v) {
  a("calls", v.calls);
  a("real_ns", v.real_ns);
  a("net_real_ns", v.net_real_ns);
}

template <class A>
void shape(A& a, As<Component> auto& v) {
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
void shape(A& a, As<Edge> auto& v) {
  a("from", v.from);
  a("to", v.to);
  a("count", v.count);
  a("raw_ns", v.raw_ns);
  a("declared", v.declared);
}

}  // namespace compmond::snapshot
