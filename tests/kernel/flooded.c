/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flooded [CALM_MS [FLOOD_MS [ROUNDS [LAST_MS]]]]: in each round calls rare() ten times a second for CALM_MS, then flood() as often as it
 * can for FLOOD_MS, and rare() as before. Prints per round for how many ms from its beginning each flood was slow: until
 * the first ms in which some turn took at most twice as long as the fastest of all. Then it is calm for LAST_MS.
 */
#include <stdint.h>
#include <time.h>

#include "../targets/wait.h"

#define CALLS 50     /* of flood() in a turn */
#define MOST 600000L /* ms of a flood */

static uint64_t fastest[MOST]; /* turn in each ms, in ns; 0: none ended in it */
static volatile long sink;

PROBED long flood(long value)
{
	return value ^ (value >> 3);
}

PROBED long rare(long value)
{
	return value + 1;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void be_calm(long ms)
{
	const struct timespec rest = {0, 100000000};

	for (long i = 0; i < ms / 100; i++) {
		sink += rare(i);
		nanosleep(&rest, NULL);
	}
}

static long slow_ms(long ms)
{
	uint64_t best = UINT64_MAX;

	for (long i = 0; i < ms; i++)
		if (fastest[i] && fastest[i] < best)
			best = fastest[i];
	for (long i = 0; i < ms; i++)
		if (fastest[i] && fastest[i] <= 2 * best)
			return i;
	return ms;
}

static void be_flooded(long ms)
{
	const uint64_t begin = now_ns();
	uint64_t before = begin, now = begin;
	long in = -1;

	memset(fastest, 0, sizeof fastest);
	while (now - begin < (uint64_t)ms * 1000000u) {
		const long at = (long)((now - begin) / 1000000u);

		if (at / 100 != in)
			sink += rare(at);
		in = at / 100;
		before = now_ns();
		for (long i = 0; i < CALLS; i++)
			sink += flood(i);
		now = now_ns();
		const long ended = (long)((now - begin) / 1000000u);

		if (ended < ms && (!fastest[ended] || now - before < fastest[ended]))
			fastest[ended] = now - before;
	}
	printf("%ld\n", slow_ms(ms));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long calm = argument(argc, argv, 1, 0), flooded = argument(argc, argv, 2, 1000), rounds = argument(argc, argv, 3, 1);

	if (flooded > MOST)
		return 64;
	for (long i = 0; i < rounds; i++) {
		be_calm(calm);
		be_flooded(flooded);
	}
	be_calm(argument(argc, argv, 4, 0));
	return 0;
}
