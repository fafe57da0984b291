// SPDX-License-Identifier: Apache-2.0
// tree [N]: N times the same tree of calls between classes with overloads and instantiations.
//   app::Root::run()
//     app::Left::go(int), app::Left::go(long)    each: app::Leaf<int>::tick(int) twice
//     app::Right::go(int)                        app::Leaf<long>::tick(long) three times, then
//     itself once, without
#include "wait.h"

namespace app {

template <typename T>
struct Leaf {
  PROBED static T tick(T value) { return value + 1; }
};

struct Left {
  PROBED static long go(int value) {
    return Leaf<int>::tick(value) + Leaf<int>::tick(value + 1) + value;
  }
  PROBED static long go(long value) { return Leaf<int>::tick(1) + Leaf<int>::tick(2) + value; }
};

struct Right {
  PROBED static long go(int depth) {
    if (depth == 1) return 1;
    long sum = 0;
    for (long i = 0; i < 3; ++i) sum += Leaf<long>::tick(i);
    long below = go(depth + 1);
    __asm__ volatile("" : "+r"(below));  // else the compiler makes a loop of it
    return sum + below;
  }
};

struct Root {
  PROBED static long run(int value) {
    return Left::go(value) + Left::go(static_cast<long>(value)) + Right::go(0);
  }
};

}  // namespace app

int main(int argc, char** argv) {
  wait_for_start(&argc, &argv);
  const long count = argument(argc, argv, 1, 10);
  long sum = 0;
  for (long i = 0; i < count; ++i) sum += app::Root::run(static_cast<int>(i));
  printf("sum %ld\n", sum);
}
