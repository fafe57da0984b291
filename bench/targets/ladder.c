/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ladder [--wait] DEPTH CALLS WORK_US: calls a function CALLS times that calls itself until it is DEPTH deep, where it is
 * busy for WORK_US µs, as in Kieker's benchmark MooBench. Prints what one call from outside took: the mean of all but the
 * slowest twentieth, and how many executions there were. All in CPU time of the thread, so that it does not count when the
 * machine runs something else; what the kernel does for a probe is in it.
 */
#include <stdint.h>
#include <time.h>

#include "../../tests/targets/wait.h"

#define WARM_UP 100

static uint64_t work_ns;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

PROBED void ladder(long depth)
{
	if (depth > 1) {
		ladder(depth - 1);
	} else {
		const uint64_t end = now_ns() + work_ns;

		while (now_ns() < end)
			;
	}
	NOT_A_TAIL_CALL();
}

static int earlier(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long depth = argument(argc, argv, 1, 10), calls = argument(argc, argv, 2, 1000), kept = calls - calls / 20;
	uint64_t *times = calloc((size_t)(calls > 0 ? calls : 1), sizeof *times), sum = 0;

	work_ns = (uint64_t)argument(argc, argv, 3, 100) * 1000;
	if (depth < 1 || calls < 1 || !times) {
		fprintf(stderr, "usage: ladder [--wait] DEPTH CALLS WORK_US\n");
		return 64;
	}
	for (long i = 0; i < WARM_UP; i++)
		ladder(depth);
	for (long i = 0; i < calls; i++) {
		const uint64_t start = now_ns();

		ladder(depth);
		times[i] = now_ns() - start;
	}
	qsort(times, (size_t)calls, sizeof *times, earlier);
	for (long i = 0; i < kept; i++)
		sum += times[i];
	printf("us %.4f executions %ld\n", (double)sum / (double)kept / 1e3, depth * (calls + WARM_UP));
	free(times);
	return 0;
}
