// SPDX-License-Identifier: Apache-2.0
// throwing [N]: in every second of N calls an exception leaves two frames, one with a destructor
// that works. Keeps books: who works how long, the catcher longest of all.
#include <stdexcept>

#include "wall_book.h"
#include "wait.h"

namespace {

book outer_book{"outer", 0, 0}, middle_book{"middle", 0, 0}, thrower_book{"thrower", 0, 0};

struct Guard {
  ~Guard() { work(&middle_book, 200); }
};

}  // namespace

PROBED void thrower(long i) {
  ++thrower_book.calls;
  work(&thrower_book, 300);
  if (i % 2 == 0) throw std::runtime_error("every second");
  NOT_A_TAIL_CALL();
}

PROBED void middle(long i) {
  ++middle_book.calls;
  const Guard guard;
  thrower(i);
}

PROBED bool outer(long i) {
  ++outer_book.calls;
  try {
    middle(i);
  } catch (const std::runtime_error&) {
    work(&outer_book, 1000);
    return true;
  }
  work(&outer_book, 100);
  return false;
}

int main(int argc, char** argv) {
  wait_for_start(&argc, &argv);
  const long count = argument(argc, argv, 1, 100);
  long caught = 0;
  for (long i = 0; i < count; ++i) caught += outer(i) ? 1 : 0;
  printf("caught %ld\n", caught);
  for (const book* one : {&outer_book, &middle_book, &thrower_book}) print_book(one);
}
