// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "suggest/program.h"

namespace compmond::suggest {

struct Times {
  double cpu_ns = 0, waiting_ns = 0;

  double all_ns() const { return cpu_ns + waiting_ns; }
  Times& operator+=(const Times& other) {
    cpu_ns += other.cpu_ns;
    waiting_ns += other.waiting_ns;
    return *this;
  }
  Times& operator-=(const Times& other) {
    cpu_ns -= other.cpu_ns;
    waiting_ns -= other.waiting_ns;
    return *this;
  }
};

Times all_of(const Evidence& evidence);
// Of each node: all stacks that begin with it.
std::vector<Times> totals_of(const Evidence& evidence);
// Per function: with it innermost of all functions of the program.
std::vector<Times> own_times(const Program& program, const Evidence& evidence);

// Time on CPU says what matters where there is enough of it, else all time: of a program that
// mostly waits.
bool decided_by_cpu(const Evidence& evidence);
inline double that_counts(const Times& times, bool by_cpu) {
  return by_cpu ? times.cpu_ns : times.all_ns();
}

// The innermost of functions that were on all stacks of their threads.
struct Loop {
  size_t node = 0;  // of the evidence
  uint32_t function = 0;
  Times times;  // with it on the stack
};

// Makes nobody's what seems never to end, as it was on all stacks of its threads: main, a thread's
// first function, an event loop, or what such a loop does again and again, which `Loop` may be. A
// thread begins in what has no name here; a stack that does not was cut, and says nothing of that.
std::vector<Loop> leave_out_loops(Evidence& evidence);

}  // namespace compmond::suggest
