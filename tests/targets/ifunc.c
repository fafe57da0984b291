/* SPDX-License-Identifier: Apache-2.0 */
/* ifunc [N]: work is an IFUNC whose resolver picks work_v1; a probe on the symbol would watch the resolver. */
#include "wait.h"

PROBED long work_v1(long value)
{
	return value + 1;
}

PROBED long work_v2(long value)
{
	return value + 2;
}

static long (*resolve_work(void))(long)
{
	return sizeof(void *) == 8 ? work_v1 : work_v2;
}

long work(long value) __attribute__((ifunc("resolve_work")));

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long count = argument(argc, argv, 1, 100);
	long value = 0;

	for (long i = 0; i < count; i++)
		value = work(value);
	printf("value %ld\n", value);
	return 0;
}
