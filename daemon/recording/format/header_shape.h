// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "log_format/header.h"
#include "log_format/way_shape.h"
#include "snapshot/snapshot_shape.h"

// The JSON of header and state, once for writing and reading (archive/writer.h).
namespace compmond::recording {

inline constexpr const char* kSchema = "compmond.log/1";

template <class A>
void shape(A& a, archive::As<Component> auto& v) {
  a("path", v.path);
  a("parent", v.parent);
}

template <class A>
void shape(A& a, archive::As<Connection> auto& v) {
  a("from", v.from);
  a("to", v.to);
}

template <class A>
void shape(A& a, archive::As<State::Change::Away> auto& v) {
  a("since_ns", v.since_ns);
  a("until_ns", v.until_ns);
}

template <class A>
void shape(A& a, archive::As<State::Change> auto& v) {
  a("op", v.op);
  a("refused", v.refused);
  a("paused", v.paused);
  a("reason", v.reason);
  a.maybe("away_since_ns", v.away_since_ns);
  a.maybe("away_until_ns", v.away_until_ns);
  a.maybe("away", v.away);
  a.maybe("unseen", v.unseen);
  a.maybe("off", v.off);
  a.maybe("way", v.way);
}

template <class A>
void shape(A& a, archive::As<State::Busy> auto& v) {
  a("spans", v.spans);
  a("whole_pct", v.whole_pct);
  a.if_any("transfers_pct", v.transfers_pct);
  a.maybe("whole_calls_s", v.whole_calls_s);
  a.maybe("whole_calls_least_s", v.whole_calls_least_s);
  a.maybe("budget_pct", v.budget_pct);
  a.maybe("transfers_away", v.transfers_away);
  a("beside_ns", v.beside_ns);
}

template <class A>
void shape(A& a, archive::As<State::Correction> auto& v) {
  a("engine", v.engine);
  a("site", v.site);
  a("exit_mode", v.exit_mode);
  a("share", v.share);
}

template <class A>
void shape(A& a, archive::As<State> auto& v) {
  a("as_of_ns", v.as_of_ns);
  a("ended", v.ended);
  a("targets", v.targets);
  a.maybe("targets_left_out", v.targets_left_out);
  a("cpu_used_ns", v.cpu_used_ns);
  a("notes", v.notes);
  a.inner("capture", [&](auto& inner) {
    inner("hits", v.capture.hits);
    inner("delivered", v.capture.delivered);
    inner("lost_ring", v.capture.lost_ring);
    inner("lost_slots", v.capture.lost_slots);
    inner("pending", v.capture.pending);
    inner.maybe("lost_refused", v.capture.lost_refused);
  });
  a("changes", v.changes);
  a.maybe("switches", v.switches);
  a.maybe("busy", v.busy);
  a.maybe("corrections", v.corrections);
  a.if_any("strangers", v.strangers);
  a.if_any("too_hot", v.too_hot);
  a.maybe("was_too_hot_until_ns", v.was_too_hot_until_ns);
  a.maybe("slices_stopped", v.slices_stopped);
  a("events", v.events);
  a("dropped_events", v.dropped_events);
  a.maybe("samples", v.samples);
  a.maybe("dropped_samples", v.dropped_samples);
}

template <class A>
void shape(A& a, archive::As<Header::Program> auto& v) {
  a("exe", v.exe);
  a("build_id", v.build_id);
}

template <class A>
void shape(A& a, archive::As<Header> auto& v) {
  std::string schema = kSchema;
  a("schema", schema);
  a("version", v.version);
  a("run", v.run);
  a.inner("spec", [&](auto& inner) {
    inner("name", v.spec_name);
    inner("path", v.spec_path);
    inner("text", v.spec_text);
  });
  a("components", v.components);
  a("connections", v.connections);
  a("operations", v.operations);
  a.maybe("transfers", v.transfers);
  a("host", v.host);
  a("build_id", v.build_id);
  a.maybe("programs", v.programs);
  std::string attach = v.engines.empty() ? std::string() : v.engines.front().attach;
  a("attach", attach);
  a.maybe("engines", v.engines);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(v)>>)
    if (v.engines.empty()) v.engines.push_back({Way().engine, attach, true});
  a.maybe("open_exits", v.open_exits);
  a("switches_stacks", v.switches_stacks);
  a("history_bytes", v.history_bytes);
  a.maybe("samples_hz", v.samples_hz);
  a("start_ns", v.start_ns);
  a("realtime_less_ns", v.realtime_less_ns);
  a("segment", v.segment);
  a("begin_ns", v.begin_ns);
  a("first_event", v.first_event);
  a.maybe("first_sample", v.first_sample);
  a("state", v.state);
}

}  // namespace compmond::recording
