// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace compmond::plan {

// What processes called that are no targets, where probes are in all processes that map a file:
// paid by them, and recorded nowhere. Since recording began.
struct Strangers {
  std::vector<uint64_t> calls;  // by operation; empty: none counts any
  std::vector<double> cost_ns;  // likewise: of their time, at the costs measured at start
  size_t processes = 0;
  bool more = false;  // than these processes

  uint64_t all_calls() const;
  double all_cost_ns() const;
  // Of an operation, since it was `then`: at the cost in use now, which may have been another one.
  uint64_t calls_since(size_t operation, const Strangers& then) const;
  double cost_since_ns(size_t operation, const Strangers& then) const;
};

// Of the code that they called, each once.
std::vector<std::string> files_of(const Strangers& strangers, const Plan& plan);
// For a reader of the figures; empty: there are none.
std::string note_of(const Strangers& strangers, const Plan& plan);

}  // namespace compmond::plan
