/* SPDX-License-Identifier: Apache-2.0 */
/* calling N: has a library call it back N times. */
#include "../targets/wait.h"
#include "calling_library.h"

static long back(long value) { return value * 2; }

int main(int argc, char** argv) {
  long sum = 0;

  wait_for_start(&argc, &argv);
  for (long i = 0, n = argument(argc, argv, 1, 0); i < n; i++) sum += call_back(back, i);
  printf("%ld\n", sum);
  return 0;
}
