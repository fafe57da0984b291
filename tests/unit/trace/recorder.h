// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/tracer.h"

namespace compmond::trace {

// Keeps everything a tracer tells.
struct Recorder : ExecutionSink {
  void on_begin(const Begun& execution) override {
    const auto earlier = [](const Begun& a, const Begun& b) {
      return std::tie(a.trace_id, a.eoi) < std::tie(b.trace_id, b.eoi);
    };
    begun.insert(std::upper_bound(begun.begin(), begun.end(), execution, earlier), execution);
  }
  void on_top(OperationId op, uint64_t from_ns, uint64_t to_ns) override {
    backwards |= from_ns >= to_ns;
    for (uint64_t at = from_ns; at < to_ns;) {
      const uint64_t part = at / kToldTogetherNs;
      const uint64_t until = std::min(to_ns, (part + 1) * kToldTogetherNs);
      top_ns[{op, part}] += until - at;
      at = until;
    }
  }
  void on_orphan(OperationId op) override { ++orphans[op]; }
  void on_closed(const Execution& execution) override { closed.push_back(execution); }
  void on_whole(const Execution& execution) override {
    together &= execution.start_ns / kToldTogetherNs == execution.end_ns / kToldTogetherNs;
    Begun open;
    open.start_ns = execution.start_ns;
    open.trace_id = execution.trace_id;
    open.op = execution.op;
    open.caller = execution.caller;
    open.eoi = execution.eoi;
    open.ess = execution.ess;
    on_begin(open);
    const uint64_t real = execution.end_ns - execution.start_ns - execution.nested_ns;
    if (real > 0) top_ns[{execution.op, execution.start_ns / kToldTogetherNs}] += real;
    on_closed(execution);
  }

  std::vector<Begun> begun;  // by trace and eoi
  std::vector<Execution> closed;
  std::map<std::pair<OperationId, uint64_t>, uint64_t>
      top_ns;  // by operation and part of the clock
  std::map<OperationId, uint64_t> orphans;
  bool backwards = false;
  bool together = true;  // whether what was told as a whole may be
};

inline record::Event in(OperationId op, uint64_t sp, uint64_t time_ns, uint8_t flags = 0) {
  return {time_ns, sp, 0, op, record::EventKind::kEntry, flags};
}
inline record::Event out(OperationId op, uint64_t sp, uint64_t time_ns) {
  return {time_ns, sp, 0, op, record::EventKind::kExit, 0};
}
inline record::Event other(record::EventKind kind, uint64_t time_ns, uint64_t arg = 0) {
  return {time_ns, 0, arg, 0, kind, 0};
}
inline record::Event transfer(Transfer kind, uint64_t sp, uint64_t time_ns) {
  return {time_ns, sp, 0, 0, record::EventKind::kTransfer, uint8_t(kind)};
}
inline record::Event stays(OperationId op, uint64_t sp, uint64_t time_ns) {
  return {time_ns, sp, 0, op, record::EventKind::kStayed, 0};
}
// What an argument of the next call of `op` says.
inline record::Event says(OperationId op, record::ContextKind kind, record::ContextType type,
                          uint64_t value, uint8_t flags = 0) {
  flags |= record::context_flags(kind, type);
  return {5, 0, value, op, record::EventKind::kContext, flags};
}
// The same as a text, in the events in which it is sent.
inline std::vector<record::Event> text(OperationId op, record::ContextKind kind,
                                       const std::string& what) {
  std::vector<record::Event> result;
  for (size_t at = 0; at == 0 || at < what.size(); at += 8) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, what.data() + at, std::min<size_t>(8, what.size() - at));
    const bool more = at + 8 < what.size();
    result.push_back(says(op, kind, record::ContextType::kString, bytes,
                          more ? record::kContextMore : uint8_t(0)));
  }
  return result;
}

// What most tests compare: (operation, start, end, real, reason).
using Line = std::tuple<OperationId, uint64_t, uint64_t, uint64_t, Closed>;
inline std::vector<Line> lines(const std::vector<Execution>& executions) {
  std::vector<Line> result;
  for (const Execution& e : executions)
    result.emplace_back(e.op, e.start_ns, e.end_ns, e.end_ns - e.start_ns - e.nested_ns, e.reason);
  return result;
}

}  // namespace compmond::trace

namespace doctest {
template <>
struct StringMaker<std::vector<compmond::trace::Line>> {
  static String convert(const std::vector<compmond::trace::Line>& lines) {
    std::string text;
    for (const auto& [op, start, end, real, reason] : lines)
      text += "\n  op " + std::to_string(op) + " " + std::to_string(start) + ".." +
              std::to_string(end) + " real " + std::to_string(real) + " closed " +
              std::to_string(int(reason));
    return text.c_str();
  }
};
}  // namespace doctest
