/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switched [--wait]: a thread that calls often() ten times and seldom() once, again and again. To each line that it reads, and once
 * more at its end, which is that of stdin, it prints how often it has called either, and the CPU time of the process.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "../../tests/targets/wait.h"

#define OFTEN_IN_A_LOOP 10
#define STEPS 1000 /* of a call's work: about as long as its probes take */

static atomic_ulong often_calls, seldom_calls; /* the thread alone writes them */
static atomic_bool over;
static volatile uint64_t sink;

static void count(atomic_ulong *calls)
{
	atomic_store_explicit(calls, atomic_load_explicit(calls, memory_order_relaxed) + 1, memory_order_relaxed);
}

static inline void work(void)
{
	for (int i = 0; i < STEPS; i++)
		sink = sink * 2862933555777941757u + 3037000493u;
}

/* Both begin with a push, where a probe costs least. */
#define BEGIN() __asm__ volatile("" ::: "rbx")

PROBED void often(void)
{
	BEGIN();
	count(&often_calls);
	work();
}

PROBED void seldom(void)
{
	BEGIN();
	count(&seldom_calls);
	work();
}

static void *run(void *unused)
{
	(void)unused;
	while (!atomic_load_explicit(&over, memory_order_relaxed)) {
		for (int i = 0; i < OFTEN_IN_A_LOOP; i++)
			often();
		seldom();
	}
	return NULL;
}

static void tell(void)
{
	struct timespec cpu;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	printf("often %lu seldom %lu cpu_ns %lld\n", atomic_load(&often_calls), atomic_load(&seldom_calls),
	       (long long)cpu.tv_sec * 1000000000 + cpu.tv_nsec);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char c;

	wait_for_start(&argc, &argv);
	if (pthread_create(&thread, NULL, run, NULL) != 0)
		return 1;
	while (read(STDIN_FILENO, &c, 1) == 1)
		if (c == '\n')
			tell();
	atomic_store(&over, 1);
	pthread_join(thread, NULL);
	tell();
	return 0;
}
