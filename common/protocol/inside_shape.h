// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "archive/shape.h"
#include "protocol/inside_report.h"
#include "snapshot/estimated_shape.h"

// The JSON's shape of the report "inside", as in shape.h.
namespace compmond::snapshot {

template <class A>
void shape(A& a, archive::As<Spent> auto& v) {
  a("cpu_ns", v.cpu_ns);
  a("waiting_ns", v.waiting_ns);
  a("all_ns", v.all_ns);
  a("samples", v.samples);
  a.maybe("at_least", v.at_least);
  a.maybe("cpu_at_least", v.cpu_at_least);
}

template <class A>
void shape(A& a, archive::As<Inside::Function> auto& v) {
  a("name", v.name);
  a.maybe("short_name", v.short_name);
  a("image", v.image);
  a.if_any("start", v.start);
  a("whose", v.whose);
  a("own", v.own);
  a("total", v.total);
}

template <class A>
void shape(A& a, archive::As<Inside::Node> auto& v) {
  a("parent", v.parent);
  a("function", v.function);
  a("own_cpu_ns", v.own_cpu_ns);
  a("own_waiting_ns", v.own_waiting_ns);
  a("cpu_ns", v.cpu_ns);
  a("waiting_ns", v.waiting_ns);
  a("samples", v.samples);
}

template <class A>
void shape(A& a, archive::As<Inside> auto& v) {
  a("total", v.total);
  a("functions", v.functions);
  a("callees", v.callees);
  a("callers", v.callers);
  a("complete", v.complete);
  a("without_stack", v.without_stack);
  a("folded", v.folded);
  a("taken", v.taken);
  a.maybe("truncated", v.truncated);
  a.maybe("broken", v.broken);
  a.maybe("lost", v.lost);
  a("off_cpu_share", v.off_cpu_share);
  a("all_cpu_ns", v.all_cpu_ns);
}

}  // namespace compmond::snapshot
