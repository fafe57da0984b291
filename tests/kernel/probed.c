/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probed MS: for so much CPU time calls functions that others have put probes on, and that take
 * hardly longer than these. Their instructions under probes are of each kind: one that the kernel
 * emulates (a push, which moves the stack pointer), one that it executes elsewhere, and a nop that
 * it replaces by a call. Calls nest, recurse and go on by jumps.
 */
#include <time.h>

#include "../targets/wait.h"

static volatile long sink;

static long long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static inline void spin(long rounds)
{
	for (long i = 0; i < rounds; i++)
		__asm__ volatile("" : "+r"(i));
}

PROBED long elsewhere(long value)
{
	spin(50000);
	return value ^ (value >> 3);
}

PROBED long jumped_to(long value)
{
	spin(50000);
	return value + 1;
}

PROBED long jumps(long value)
{
	spin(50000);
	return jumped_to(value * 3);
}

PROBED long recurses(long depth)
{
	long below = depth > 0 ? recurses(depth - 1) : elsewhere(depth);

	spin(50000);
	__asm__ volatile("" : "+r"(below));
	return below + depth;
}

/* A nop of five bytes, and a jump. */
__attribute__((naked)) long nothing(__attribute__((unused)) long value)
{
	__asm__(".byte 0x0f, 0x1f, 0x44, 0, 0\n\tjmp elsewhere");
}

PROBED long pushes(long value)
{
	const long a = jumps(value), b = nothing(a);

	return recurses(8) + a * b;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long long end = cpu_ns() + argument(argc, argv, 1, 0) * 1000000ll;

	for (long i = 0; cpu_ns() < end; i++)
		sink += pushes(i);
	printf("done\n");
	return 0;
}
