/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conditional: sixteen functions, one per condition of the processor, compare two numbers and, where their condition holds,
 * leave by a conditional jump to leaf(); else they return. Each is called with all pairs of eight numbers.
 */
#include <limits.h>

#include "wait.h"

PROBED long leaf(long a, long b)
{
	return (a & 15) * 3 + (b & 15);
}

#define CONDITIONS(X) X(o) X(no) X(b) X(ae) X(e) X(ne) X(be) X(a) X(s) X(ns) X(p) X(np) X(l) X(ge) X(le) X(g)

#define FUNCTION(cc)                                                                                                   \
	long pick_##cc(long a, long b);                                                                                \
	__asm__(".text\n.p2align 4\n.globl pick_" #cc "\n.type pick_" #cc ", @function\npick_" #cc ":\n"               \
		"	mov $1, %eax\n	cmp %rsi, %rdi\n	j" #cc " leaf\n	ret\n.size pick_" #cc ", .-pick_" #cc "\n");
CONDITIONS(FUNCTION)

static const long numbers[] = { 0, 1, 3, 128, -1, -2, LONG_MAX, LONG_MIN };
#define COUNT (sizeof numbers / sizeof *numbers)

int main(int argc, char **argv)
{
	long sum = 0;

	wait_for_start(&argc, &argv);
	for (unsigned i = 0; i < COUNT * COUNT; i++) {
		const long a = numbers[i / COUNT], b = numbers[i % COUNT];

#define CALL(cc) sum += pick_##cc(a, b);
		CONDITIONS(CALL)
	}
	printf("sum %ld\n", sum);
	return 0;
}
