/* SPDX-License-Identifier: Apache-2.0 */
/* forking_back N: has a library call it back N times, in a child that first stops itself (SIGSTOP); prints what it returned. */
#include <sys/wait.h>

#include "../targets/wait.h"
#include "calling_library.h"

static long back(long value) { return value * 2; }

int main(int argc, char** argv) {
  int status = -1;

  wait_for_start(&argc, &argv);
  if (fork() == 0) {
    long sum = 0;

    raise(SIGSTOP);
    for (long i = 0, n = argument(argc, argv, 1, 0); i < n; i++) sum += call_back(back, i);
    _exit(sum % 100);
  }
  if (wait(&status) < 0 || !WIFEXITED(status)) return 1;
  printf("%d\n", WEXITSTATUS(status));
  return 0;
}
