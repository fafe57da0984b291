/* SPDX-License-Identifier: Apache-2.0 */
/*
 * charged SECONDS: calls a function that takes some times as long as a probe, and after each call
 * another one four times, each a quarter as long.
 */
#include <time.h>

#include "../targets/wait.h"

static inline void spin(long rounds)
{
	for (long i = 0; i < rounds; i++)
		__asm__ volatile("" : "+r"(i));
}

PROBED long charged(long value)
{
	spin(6000);
	return value ^ (value >> 3);
}

PROBED long others(long value)
{
	spin(1500);
	return value + 1;
}

int main(int argc, char **argv)
{
	struct timespec begin, now;
	long sum = 0, seconds;

	wait_for_start(&argc, &argv);
	seconds = argument(argc, argv, 1, 1);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (long i = 0; i < 1000; i++) {
			sum += charged(i);
			for (long j = 0; j < 4; j++)
				sum += others(i + j);
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec < seconds);
	return sum == 42;
}
