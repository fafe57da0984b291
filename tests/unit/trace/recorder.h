// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "trace/tracer.h"

namespace compmond::trace {

// Keeps everything a tracer tells.
struct Recorder : ExecutionSink {
  void on_begin(const OpenExecution& execution) override { begun.push_back(execution); }
  void on_top(OperationId op, uint64_t from_ns, uint64_t to_ns) override {
    backwards |= from_ns >= to_ns;
    top_ns[op] += to_ns - from_ns;
  }
  void on_closed(const Execution& execution) override { closed.push_back(execution); }

  std::vector<OpenExecution> begun;
  std::vector<Execution> closed;
  std::map<OperationId, uint64_t> top_ns;
  bool backwards = false;
};

inline capture::Event in(OperationId op, uint64_t sp, uint64_t time_ns, uint8_t flags = 0) {
  return {time_ns, sp, 0, op, capture::EventKind::kEntry, flags};
}
inline capture::Event out(OperationId op, uint64_t sp, uint64_t time_ns) {
  return {time_ns, sp, 0, op, capture::EventKind::kExit, 0};
}
inline capture::Event other(capture::EventKind kind, uint64_t time_ns, uint64_t arg = 0) {
  return {time_ns, 0, arg, 0, kind, 0};
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
              std::to_string(end) + " real " + std::to_string(real) + " " +
              compmond::trace::to_string(reason);
    return text.c_str();
  }
};
}  // namespace doctest
