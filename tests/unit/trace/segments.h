// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/execution.h"

namespace compmond::trace {

struct Segment {
  OperationId op;
  uint64_t from, to;
};

// What was on top when, from nothing but the executions and how they are nested.
inline std::vector<Segment> segments(std::vector<Execution> all) {
  std::sort(all.begin(), all.end(), [](const Execution& a, const Execution& b) {
    return std::tie(a.thread, a.trace_id, a.eoi) < std::tie(b.thread, b.trace_id, b.eoi);
  });
  std::vector<Segment> out;
  std::vector<std::pair<const Execution*, uint64_t>> stack;  // and since when it is on top
  const auto leave = [&](size_t depth) {
    while (stack.size() > depth) {
      const auto [e, from] = stack.back();
      stack.pop_back();
      out.push_back({e->op, from, e->end_ns});
      if (!stack.empty()) stack.back().second = e->end_ns;
    }
  };
  for (const Execution& e : all) {
    leave(e.ess);
    if (!stack.empty()) out.push_back({stack.back().first->op, stack.back().second, e.start_ns});
    stack.emplace_back(&e, e.start_ns);
  }
  leave(0);
  return out;
}

}  // namespace compmond::trace
