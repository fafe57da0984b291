// SPDX-License-Identifier: Apache-2.0
// exception [N]: an exception leaves two frames in every third of N calls. A replaced return
// address would abort it.
#include <stdexcept>

#include "wait.h"

namespace {

long destroyed = 0;

struct Guard {
  ~Guard() { ++destroyed; }
};

}  // namespace

PROBED void thrower(long i) {
  if (i % 3 == 0) throw std::runtime_error("every third");
  NOT_A_TAIL_CALL();
}

PROBED void middle(long i) {
  const Guard guard;
  thrower(i);
}

PROBED bool outer(long i) {
  try {
    middle(i);
  } catch (const std::runtime_error&) {
    return true;
  }
  return false;
}

int main(int argc, char** argv) {
  wait_for_start(&argc, &argv);
  const long count = argument(argc, argv, 1, 100);
  long caught = 0;
  for (long i = 0; i < count; ++i) caught += outer(i) ? 1 : 0;
  printf("caught %ld destroyed %ld\n", caught, destroyed);
}
