// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "archive/shape.h"
#include "protocol/protocol.h"

// The JSON's shape of what goes before and beside views, as in shape.h.
namespace compmond::snapshot {

template <class A>
void shape(A& a, archive::As<Hello::Metric> auto& v) {
  a("name", v.name);
  a("description", v.description);
  a.maybe("needs_calls", v.needs_calls);
}

template <class A>
void shape(A& a, archive::As<Hello> auto& v) {
  a("version", v.version);
  a("spec_name", v.spec_name);
  a("metrics", v.metrics);
  a("control", v.control);
}

template <class A>
void shape(A& a, archive::As<ControlRequest> auto& v) {
  a.maybe("id", v.id);
  a("action", v.action);
  a.maybe("value", v.value);
  a.maybe("target", v.target);
}

template <class A>
void shape(A& a, archive::As<TokenRequest> auto& v) {
  a.maybe("id", v.id);
  a("token", v.token);
}

template <class A>
void shape(A& a, archive::As<ControlAnswer> auto& v) {
  a("id", v.id);
  a("done", v.done);
  a("error", v.error);
}

template <class A>
void shape(A& a, archive::As<Refusal> auto& v) {
  a("id", v.id);
  a("error", v.error);
  a.maybe("ends", v.ends);
}

}  // namespace compmond::snapshot
