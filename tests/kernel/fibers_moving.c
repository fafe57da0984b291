/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fibers_moving SEED: sixteen fibers on 64 KiB stacks that lie next to each other, each gone on with by whichever of four threads takes it, in
 * an order that chance makes. Prints of each function how many calls returned, and how many of these on another thread than they began.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "wait.h"

#define FIBERS 16
#define THREADS 4
#define ROUNDS 20
#define DEPTH 6
#define STACK (64 * 1024)

enum function { CLIMB, LEAF, TAKE, FUNCTIONS };
static const char *const names[FUNCTIONS] = {"climb", "leaf", "take"};
static atomic_int returned[FUNCTIONS], elsewhere[FUNCTIONS];

struct fiber {
	void *stopped, *home; /* where it is to go on, and who resumed it */
	atomic_flag taken;
	atomic_int done;
	unsigned random;
};
static struct fiber fibers[FIBERS], *starting;
static pthread_barrier_t all_there;

void change(void **save, void *to);
#include "fiber_change.c"

static unsigned chance(unsigned *random)
{
	*random = *random * 1103515245 + 12345;
	return *random >> 16;
}

static int thread_now(void)
{
	return (int)syscall(SYS_gettid);
}

static void count(enum function function, int began)
{
	atomic_fetch_add(&returned[function], 1);
	atomic_fetch_add(&elsewhere[function], thread_now() != began);
}

static void pause_at_times(struct fiber *fiber)
{
	if (chance(&fiber->random) % 4 == 0)
		change(&fiber->stopped, fiber->home);
}

PROBED int leaf(struct fiber *fiber)
{
	int began = thread_now();

	pause_at_times(fiber);
	count(LEAF, began);
	return 1;
}

PROBED int climb(struct fiber *fiber, int depth)
{
	int began = thread_now(), below = 0;

	pause_at_times(fiber);
	if (depth > 0) {
		below = climb(fiber, depth - 1);
		if (chance(&fiber->random) % 2)
			below += leaf(fiber);
	}
	pause_at_times(fiber);
	count(CLIMB, began);
	return below + 1;
}

static void fiber_main(void)
{
	struct fiber *fiber = starting;

	change(&fiber->stopped, fiber->home);
	for (int i = 0; i < ROUNDS; i++)
		climb(fiber, (int)(chance(&fiber->random) % DEPTH));
	atomic_store(&fiber->done, 1);
	for (;;)
		change(&fiber->stopped, fiber->home);
}

/* Goes on with a fiber until it stops again; on the thread's own stack. */
PROBED int take(struct fiber *fiber)
{
	int began = thread_now();

	change(&fiber->home, fiber->stopped);
	count(TAKE, began);
	return 1;
}

static void *work(void *seed)
{
	unsigned random = (unsigned)(uintptr_t)seed;

	pthread_barrier_wait(&all_there);
	for (int done = 0; done < FIBERS;) {
		struct fiber *fiber = &fibers[chance(&random) % FIBERS];

		if (!atomic_load(&fiber->done) && !atomic_flag_test_and_set(&fiber->taken)) {
			if (!atomic_load(&fiber->done))
				take(fiber);
			atomic_flag_clear(&fiber->taken);
		}
		sched_yield();
		done = 0;
		for (int i = 0; i < FIBERS; i++)
			done += atomic_load(&fibers[i].done);
	}
	return NULL;
}

static void start(int i, char *stack, unsigned seed)
{
	uintptr_t *top = (uintptr_t *)(stack + STACK) - 2;

	*--top = 0;
	*--top = (uintptr_t)fiber_main;
	fibers[i].random = seed * FIBERS + (unsigned)i;
	starting = &fibers[i];
	change(&starting->home, top - 6); /* what change() takes from there first */
}

int main(int argc, char **argv)
{
	char *stacks = aligned_alloc(4096, FIBERS * STACK);
	pthread_t threads[THREADS];
	unsigned seed;

	memset(stacks, 0, FIBERS * STACK);
	wait_for_start(&argc, &argv);
	seed = (unsigned)argument(argc, argv, 1, 1);
	for (int i = 0; i < FIBERS; i++)
		start(i, stacks + i * STACK, seed);
	pthread_barrier_init(&all_there, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(seed + (unsigned)i));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < FUNCTIONS; i++)
		printf("%s %d %d\n", names[i], returned[i], elsewhere[i]);
	return 0;
}
