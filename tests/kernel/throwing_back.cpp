// SPDX-License-Identifier: Apache-2.0
// throwing_back N: has a library of C call it back N times, and throws through it every second
// time.
#include <stdexcept>

#include "../targets/wait.h"
#include "calling_library.h"

namespace {

long back(long value) {
  if (value % 2 != 0) throw std::runtime_error("every second");
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  wait_for_start(&argc, &argv);
  const long count = argument(argc, argv, 1, 0);
  long caught = 0;
  for (long i = 0; i < count; ++i) try {
      call_back(back, i);
    } catch (const std::runtime_error&) {
      ++caught;
    }
  printf("caught %ld\n", caught);
}
