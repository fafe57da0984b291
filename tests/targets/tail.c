/* SPDX-License-Identifier: Apache-2.0 */
/* tail [N]: first() jumps to second(), which jumps to third(): three calls, one return, N times. */
#include "wait.h"

PROBED long third(long value)
{
	return value + 1;
}

PROBED long second(long value)
{
	return third(value * 2);
}

PROBED long first(long value)
{
	return second(value + 3);
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long count = argument(argc, argv, 1, 100);
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += first(i);
	printf("sum %ld\n", sum);
	return 0;
}
