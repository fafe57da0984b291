// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "traces/traced.h"

namespace compmond::graphs {

// A call or a return between two executions of a trace; -1 is the caller outside.
struct Message {
  enum class Kind : uint8_t { kCall, kReturn };
  Kind kind = Kind::kCall;
  int32_t from = -1, to = -1;  // positions in Trace::executions
  uint64_t at_ns = 0;          // start, or end, of the called execution
  // The execution that is called or returns.
  int32_t called() const { return kind == Kind::kCall ? to : from; }
};

// The messages of a trace in the order of its control flow: an execution returns before the next
// one on its level is called. `visit(const Message&)`.
template <class Visit>
void for_each_message(const traces::Trace& trace, Visit&& visit) {
  std::vector<int32_t> stack;
  const auto pop = [&] {
    const int32_t done = stack.back();
    stack.pop_back();
    visit(Message{Message::Kind::kReturn, done, stack.empty() ? -1 : stack.back(),
                  trace.executions[size_t(done)].end_ns});
  };
  for (size_t i = 0; i < trace.executions.size(); ++i) {
    while (stack.size() > size_t(trace.executions[i].ess)) pop();
    visit(Message{Message::Kind::kCall, trace.caller[i], int32_t(i), trace.executions[i].start_ns});
    stack.push_back(int32_t(i));
  }
  while (!stack.empty()) pop();
}

}  // namespace compmond::graphs
