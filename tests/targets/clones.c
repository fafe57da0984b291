/* SPDX-License-Identifier: Apache-2.0 */
/* clones [N]: the compiler leaves no work(), only a specialised copy, work.constprop.0, which goes by its name. */
#include "wait.h"

static __attribute__((noinline)) long work(long value, long factor, long offset)
{
	for (long i = 0; i < factor; i++)
		value = (value ^ (value << 1)) + offset;
	return value;
}

PROBED long caller(long value)
{
	return work(value, 3, 5) + 1;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long count = argument(argc, argv, 1, 100);
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += caller(i) & 0xff;
	printf("sum %ld\n", sum);
	return 0;
}
