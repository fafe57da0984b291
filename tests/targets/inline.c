/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline [N]: N times through 7 places that call partly(), of which 3 are inlined and 4 go through the symbol;
 * wholly() is inlined everywhere and has no symbol. Built with debug information, which says so.
 */
#include "wait.h"

static inline __attribute__((always_inline)) long wholly(long value)
{
	return (value ^ 5) * 3;
}

long partly(long value)
{
	return wholly(value) + 1;
}

static long (*volatile through)(long) = partly;

PROBED long inlined_calls(long value)
{
	return partly(value) + partly(value + 1) + partly(value + 2);
}

PROBED long real_calls(long value)
{
	return through(value) + through(value + 1) + through(value + 2) + through(value + 3);
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long count = argument(argc, argv, 1, 10);
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += inlined_calls(i) + real_calls(i);
	printf("sum %ld\n", sum);
	return 0;
}
