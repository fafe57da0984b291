// SPDX-License-Identifier: Apache-2.0
// starting [CALLS]: its library may do things before its own code begins (starting_library.c).
#include <stdio.h>
#include <stdlib.h>

__attribute__((noipa)) static int work(int n) { return n * 2 + 1; }

int main(int argc, char** argv) {
    int sum = 0;
    const int calls = argc > 1 ? atoi(argv[1]) : 100;
    for (int i = 0; i < calls; ++i) sum += work(i);
    printf("calls %d sum %d\n", calls, sum);
    return 3;
}
