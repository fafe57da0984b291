// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <tuple>

#include "archive/shape.h"
#include "snapshot/estimated.h"

// The JSON's shape of estimates, as in shape.h.
namespace compmond::snapshot {

template <class T>
requires std::derived_from<T, Estimate>
auto numbers(T& v) { return std::tie(v.value_ns, v.low_ns, v.high_ns); }

template <class T>
requires std::derived_from<T, CallsEstimate>
auto numbers(T& v) { return std::tie(v.value, v.low, v.high); }

// Whether a time is a lower bound, in a key beside its own.
template <class A>
void mark(A& a, const char* key, auto& time) {
  if (time) a.maybe(key, time->at_least);
}

template <class A>
void shape(A& a, archive::As<Estimated> auto& v) {
  a.if_any("raw_ns", v.raw_ns);
  a.if_any("net_real_ns", v.net_real_ns);
  a.if_any("cpu_ns", v.cpu_ns);
  a.if_any("waiting_ns", v.waiting_ns);
  mark(a, "at_least", v.raw_ns);
  a.maybe("samples", v.samples);
  mark(a, "net_real_at_least", v.net_real_ns);
  mark(a, "waiting_at_least", v.waiting_ns);
  mark(a, "cpu_at_least", v.cpu_ns);
  a.if_any("own_samples", v.own_samples);
  a.if_any("runnable_ns", v.runnable_ns);
  a.if_any("calls", v.calls);
}

template <class A>
void shape(A& a, archive::As<Evidence> auto& v) {
  a("calls", v.calls);
  a("raw", v.raw);
  a("real", v.real);
  a("edges", v.edges);
  a("single", v.single);
}

template <class A>
void shape(A& a, archive::As<SamplesHealth::Elsewhere> auto& v) {
  a("image", v.image);
  a("cpu_ns", v.cpu_ns);
  a("waiting_ns", v.waiting_ns);
}

template <class A>
void shape(A& a, archive::As<SamplesHealth> auto& v) {
  a("hz", v.hz);
  a("taken", v.taken);
  a("lost", v.lost);
  a("truncated", v.truncated);
  a("broken", v.broken);
  a("elsewhere", v.elsewhere);
  a("off_cpu_share", v.off_cpu_share);
  a.maybe("known_until_ns", v.known_until_ns);
  a.maybe("elsewhere_cpu_ns", v.elsewhere_cpu_ns);
  a.maybe("elsewhere_waiting_ns", v.elsewhere_waiting_ns);
  a.maybe("cpu_ns", v.cpu_ns);
  a.maybe("waiting_ns", v.waiting_ns);
  a.if_any("probes_cpu_ns", v.probes_cpu_ns);
  a.maybe("elsewhere_by_image", v.elsewhere_by_image);
}

}  // namespace compmond::snapshot
