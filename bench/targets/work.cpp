// SPDX-License-Identifier: Apache-2.0
// cpp(): as C++ does it, with something to be destroyed on each way out, also that of an exception.
#include <stdexcept>

namespace {

volatile int of = 0;

struct Guard {
  Guard() { of = of + 1; }
  ~Guard() { of = of - 1; }
};

__attribute__((noipa)) void check(int number) {
  if (number > 1) throw std::runtime_error("deeper than it can be");
}

}  // namespace

extern "C" __attribute__((noipa)) void cpp() {
  const Guard guard;
  check(0);
  for (int i = 0; i < WORK; ++i) __asm__ volatile("");
}
