/* SPDX-License-Identifier: Apache-2.0 */
/* charged SECONDS: calls its two functions in turn, each of which takes some times as long as a probe. */
#include <time.h>

#include "../targets/wait.h"

static inline void spin(void)
{
	for (long i = 0; i < 6000; i++)
		__asm__ volatile("" : "+r"(i));
}

PROBED long charged(long value)
{
	spin();
	return value ^ (value >> 3);
}

PROBED long others(long value)
{
	spin();
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
		for (long i = 0; i < 1000; i++)
			sum += charged(i) + others(i);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec < seconds);
	return sum == 42;
}
