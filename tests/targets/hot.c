/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hot [RATE [THREADS [SECONDS [CALM]]]]: each of THREADS threads calls hot_path() RATE times a second for SECONDS, then 100
 * times a second for CALM seconds; once in every four hundred of them cool_path(), in every twenty thousand rare_path(). RATE 0:
 * as often as it can.
 */
#include <pthread.h>
#include <time.h>

#include "wait.h"

#define SLICES 100 /* a second is cut into so many parts, each with its share of the calls at its beginning */

static long rate, seconds, calm;

PROBED long hot_path(long value)
{
	return value ^ (value >> 3);
}

PROBED long cool_path(long value)
{
	return value + 1;
}

PROBED long rare_path(long value)
{
	return value - 1;
}

static long call(long from, long to)
{
	long sum = 0;

	for (long i = from; i < to; i++) {
		sum += hot_path(i);
		if (i % 400 == 0)
			sum += cool_path(i);
		if (i % 20000 == 0)
			sum += rare_path(i);
	}
	return sum;
}

static void add(struct timespec *time, long nanoseconds)
{
	time->tv_nsec += nanoseconds;
	if (time->tv_nsec >= 1000000000) {
		time->tv_nsec -= 1000000000;
		time->tv_sec++;
	}
}

static void call_evenly(long a_second, long for_seconds)
{
	struct timespec due;
	long done = 0;

	clock_gettime(CLOCK_MONOTONIC, &due);
	for (long slice = 1; slice <= for_seconds * SLICES; slice++) {
		const long end = a_second * slice / SLICES;

		call(done, end);
		done = end;
		add(&due, 1000000000 / SLICES);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
	}
}

static void call_often(void)
{
	struct timespec due, now;
	long done = 0;

	clock_gettime(CLOCK_MONOTONIC, &due);
	due.tv_sec += seconds;
	do {
		call(done, done + 1000);
		done += 1000;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < due.tv_sec || (now.tv_sec == due.tv_sec && now.tv_nsec < due.tv_nsec));
}

static void *run(void *unused)
{
	if (rate > 0)
		call_evenly(rate, seconds);
	else
		call_often();
	call_evenly(100, calm);
	return unused;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	rate = argument(argc, argv, 1, 1000);
	const long threads = argument(argc, argv, 2, 1);
	seconds = argument(argc, argv, 3, 1);
	calm = argument(argc, argv, 4, 0);
	pthread_t *ids = calloc((size_t)threads, sizeof *ids);

	for (long i = 0; i < threads; i++) {
		if (pthread_create(&ids[i], NULL, run, NULL) != 0)
			return 1;
	}
	for (long i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	free(ids);
	printf("done\n");
	return 0;
}
