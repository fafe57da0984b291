// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "traces/assembler.h"
#include "traces/traced.h"

namespace compmond::traces::test {

// One call by hand: what it is, its own time before the first and behind each of its calls.
struct Call {
  Call(std::string of, std::string name, uint64_t own = 10, std::vector<Call> nested = {},
       std::string on = "a")
      : component(std::move(of)),
        operation(std::move(name)),
        own_ns(own),
        calls(std::move(nested)),
        host(std::move(on)) {}
  std::string component, operation;
  uint64_t own_ns;
  std::vector<Call> calls;
  std::string host;
};

inline uint64_t place(const Call& call, Catalogue& catalogue, int64_t id, uint64_t at, int32_t ess,
                      std::vector<TracedExecution>& out) {
  const size_t index = out.size();
  TracedExecution e;
  e.trace_id = id;
  e.start_ns = at;
  e.operation = catalogue.operation(call.component, call.component + "." + call.operation,
                                    call.operation, call.operation);
  e.host = catalogue.host(call.host);
  e.session = catalogue.session("");
  e.eoi = int32_t(index);
  e.ess = ess;
  out.push_back(e);
  at += call.own_ns;
  for (const Call& callee : call.calls)
    at = place(callee, catalogue, id, at, ess + 1, out) + call.own_ns;
  return out[index].end_ns = at;
}

inline std::vector<TracedExecution> executions(const Call& call, Catalogue& catalogue, int64_t id,
                                               uint64_t at = 1000) {
  std::vector<TracedExecution> out;
  place(call, catalogue, id, at, 0, out);
  return out;
}

inline Trace built(std::vector<TracedExecution> executions) {
  Trace trace;
  trace.id = executions.front().trace_id;
  const auto wrong = build_trace(executions, trace);
  REQUIRE_MESSAGE(!wrong, wrong.value_or(""));
  return trace;
}

inline Trace traced(const Call& call, Catalogue& catalogue, int64_t id = 1, uint64_t at = 1000) {
  return built(executions(call, catalogue, id, at));
}

// For random_trace; at least one.
inline auto numbers() {
  return rc::gen::nonEmpty(
      rc::gen::container<std::vector<uint32_t>>(rc::gen::arbitrary<uint32_t>()));
}

// A trace as numbers say: each says how far the stack goes down before the next call, what is
// called, and for how long it runs. Several executions may stand at the bottom.
inline Trace random_trace(const std::vector<uint32_t>& numbers, Catalogue& catalogue, int64_t id) {
  static const char* const kNames[] = {"A", "B", "C", "D"};
  std::vector<TracedExecution> out;
  std::vector<size_t> stack;
  uint64_t now = 1000;
  const auto pop = [&] {
    out[stack.back()].end_ns = now += 3;
    stack.pop_back();
  };
  for (const uint32_t number : numbers) {
    for (uint32_t pops = number % 4; pops > 0 && !stack.empty(); --pops) pop();
    TracedExecution e;
    e.trace_id = id;
    e.start_ns = now += 1 + (number >> 8) % 50;
    const std::string component = kNames[(number >> 4) % 4];
    const std::string operation = (number >> 6) % 2 ? "f" : "g";
    e.operation = catalogue.operation(component, component + operation, operation, operation);
    e.host = catalogue.host((number >> 7) % 2 ? "x" : "y");
    e.session = catalogue.session("");
    e.eoi = int32_t(out.size());
    e.ess = int32_t(stack.size());
    stack.push_back(out.size());
    out.push_back(e);
  }
  while (!stack.empty()) pop();
  return built(out);
}

}  // namespace compmond::traces::test
