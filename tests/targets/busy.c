/* SPDX-License-Identifier: Apache-2.0 */
/*
 * busy SECONDS: turn() calls dear() some thousand times, which takes a little, then calm() once, which takes as long as a third of
 * all these. Prints the CPU time that each took, probes included, in ns.
 */
#include <time.h>

#include "wait.h"

#define CALLS 5000

static volatile long sink;

static inline __attribute__((always_inline)) void spin(long turns)
{
	const long all = scaled(turns);

	for (long i = 0; i < all; i++)
		sink += i;
}

PROBED void dear(void)
{
	spin(100);
}

PROBED void calm(long long nanoseconds);

static long long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void calm(long long nanoseconds)
{
	const long long end = cpu_ns() + nanoseconds;

	while (cpu_ns() < end)
		spin(1000);
}

static long long in_dear, in_calm;

PROBED void turn(void)
{
	const long long start = cpu_ns();

	for (int i = 0; i < CALLS; i++)
		dear();
	const long long middle = cpu_ns();

	calm((middle - start) / 3);
	in_dear += middle - start;
	in_calm += cpu_ns() - middle;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long long nanoseconds = argument(argc, argv, 1, 4) * 1000000000LL;

	while (in_dear + in_calm < nanoseconds)
		turn();
	printf("%lld %lld\n", in_dear, in_calm);
	return 0;
}
