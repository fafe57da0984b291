/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls [--wait] FUNCTION CALLS THREADS: calls one of the functions of functions.S CALLS times in all, shared out among
 * THREADS threads, and prints the wall time and the CPU time that one call took: the former divided by CALLS whatever the
 * number of threads. Each thread first makes WARM_UP calls that are not timed, so that page faults and first sightings are
 * not what is measured. With WORK it rests after each BURST of calls, so that whoever records them can keep up.
 */
#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "../../tests/targets/wait.h"

#define WARM_UP 1000
#define BURST 10000

void push(void);
void nop(void);
#ifndef WITHOUT_NOP5
void nop5(void);
#endif
void endbr(void);
void mov(void);
void sub(void);
#ifdef WORK
void cpp(void);
#endif

static const struct {
	const char *name;
	void (*call)(void);
} functions[] = {
	{"push", push}, {"nop", nop}, {"endbr", endbr}, {"mov", mov}, {"sub", sub},
#ifndef WITHOUT_NOP5
	{"nop5", nop5},
#endif
#ifdef WORK
	{"cpp", cpp},
#endif
};

static void (*function)(void);
static pthread_barrier_t warm;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void *run(void *calls)
{
	for (long i = 0; i < WARM_UP; i++)
		function();
	pthread_barrier_wait(&warm); /* everyone is warm */
	pthread_barrier_wait(&warm); /* the clock runs */
	for (long i = 0; i < (long)calls; i++) {
		function();
#ifdef WORK
		const struct timespec rest = {0, 60000000};

		if (i % BURST == BURST - 1)
			nanosleep(&rest, NULL);
#endif
	}
	return NULL;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long calls = argument(argc, argv, 2, 1000000);
	const long threads = argument(argc, argv, 3, 1);
	pthread_t *ids = calloc((size_t)threads, sizeof *ids);
	uint64_t wall, cpu;

	for (size_t i = 0; argc > 1 && i < sizeof functions / sizeof *functions; i++)
		if (strcmp(argv[1], functions[i].name) == 0)
			function = functions[i].call;
	if (!function || calls < 1 || threads < 1 || pthread_barrier_init(&warm, NULL, (unsigned)threads + 1) != 0) {
		fprintf(stderr, "usage: calls [--wait] push|nop|nop5|endbr|mov|sub|cpp CALLS THREADS\n");
		return 64;
	}
	for (long i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, run, (void *)(calls / threads + (i < calls % threads))) != 0)
			return 1;
	pthread_barrier_wait(&warm);
	wall = now_ns(CLOCK_MONOTONIC);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	pthread_barrier_wait(&warm);
	for (long i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	printf("wall_ns %.2f cpu_ns %.2f calls %ld\n", (double)wall / (double)calls, (double)cpu / (double)calls,
	       calls + threads * WARM_UP);
	free(ids);
	return 0;
}
