// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "log_format/header.h"
#include "snapshot/snapshot_shape.h"

// The JSON of what a log's header says of operations and transfers, as in header_shape.h.
namespace compmond::recording {

template <class A>
void shape(A& a, archive::As<Way::Range> auto& v) {
  a("vaddr", v.vaddr);
  a("size", v.size);
}

template <class A>
void shape_way(A& a, auto& v) {
  a("exit_mode", v.exit_mode);
  a.maybe("engine", v.engine);
  a("site", v.site);
  a("moved_by", v.moved_by);
  a("inside_ns", v.inside_ns);
  a("outside_ns", v.outside_ns);
  a.maybe("cheap_less_ns", v.cheap_less_ns);
  a.maybe("left_inside_less_ns", v.left_inside_less_ns);
  a.maybe("left_outside_less_ns", v.left_outside_less_ns);
  a.maybe("stay_ns", v.stay_ns);
  a.maybe("code", v.code);
  a.maybe("ends_in_jump", v.ends_in_jump);
}

template <class A>
void shape(A& a, archive::As<Way> auto& v) {
  shape_way(a, v);
}

template <class A>
void shape(A& a, archive::As<Operation> auto& v) {
  a("component", v.component);
  a("name", v.name);
  a("symbol", v.symbol);
  a("demangled", v.demangled);
  a("image", v.image);
  a.maybe("device", v.device);
  a.maybe("inode", v.inode);
  a("interface", v.interface);
  shape_way(a, v);
  a.maybe("next_ways", v.next_ways);
  a("slo_ms", v.slo_ms);
  a("landmark", v.landmark);
  a.maybe("waiting", v.waiting);
  a("refused", v.refused);
  a("paused", v.paused);
  a("reason", v.reason);
}

template <class A>
void shape(A& a, archive::As<Transfer> auto& v) {
  a("kind", v.kind);
  a("symbol", v.symbol);
  a("image", v.image);
  a("engine", v.engine);
  a("site", v.site);
  a("cost_ns", v.cost_ns);
}

}  // namespace compmond::recording
