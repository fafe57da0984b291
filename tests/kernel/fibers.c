/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fibers: eight fibers on 64 KiB stacks that lie next to each other take turns within calls, then half of them are given
 * up in the midst and their stacks used again. "fibers elsewhere": one goes on on another thread instead. Built with the routine that changes stacks in it, in a library
 * (IN_LIBRARY), or with the C library's (BY_CONTEXT). Prints how many turns there were.
 */
#include <pthread.h>
#include <stdint.h>
#include <ucontext.h>

#include "wait.h"

#define FIBERS 8
#define TURNS 5
#define STACK (64 * 1024)

static char *stacks;
static int current, turns;

#ifdef BY_CONTEXT

static ucontext_t scheduler, fibers[FIBERS];

static void pause_fiber(void)
{
	swapcontext(&fibers[current], &scheduler);
}

static void resume(int fiber)
{
	current = fiber;
	swapcontext(&scheduler, &fibers[fiber]);
}

static void start(int fiber, void (*entry)(void))
{
	getcontext(&fibers[fiber]);
	fibers[fiber].uc_stack.ss_sp = stacks + fiber * STACK;
	fibers[fiber].uc_stack.ss_size = STACK;
	makecontext(&fibers[fiber], entry, 0);
}

#else

void change(void **save, void *to);
#ifndef IN_LIBRARY
#include "fiber_change.c"
#endif

static void *scheduler, *fibers[FIBERS];

static void pause_fiber(void)
{
	change(&fibers[current], scheduler);
}

static void resume(int fiber)
{
	current = fiber;
	change(&scheduler, fibers[fiber]);
}

static void start(int fiber, void (*entry)(void))
{
	uintptr_t *top = (uintptr_t *)(stacks + (fiber + 1) * STACK) - 2;

	*--top = 0;
	*--top = (uintptr_t)entry;
	fibers[fiber] = top - 6; /* what change() takes from there first */
}

#endif

PROBED int leaf(int value)
{
	return value + 1;
}

PROBED int step(int value)
{
	int result = leaf(value);

	pause_fiber();
	NOT_A_TAIL_CALL();
	return leaf(result);
}

PROBED void fiber_work(int rounds)
{
	for (int i = 0; i < rounds; i++)
		turns += step(i) == i + 2;
	NOT_A_TAIL_CALL();
}

PROBED void schedule(int fiber)
{
	resume(fiber);
	NOT_A_TAIL_CALL();
}

static void fiber_main(void)
{
	fiber_work(TURNS);
	for (;;)
		pause_fiber();
}

static void *go_on(void *unused)
{
	(void)unused;
	for (int turn = 0; turn < TURNS; turn++)
		schedule(0);
	return NULL;
}

int main(int argc, char **argv)
{
	stacks = aligned_alloc(4096, FIBERS * STACK);
	memset(stacks, 0, FIBERS * STACK);
	wait_for_start(&argc, &argv);
	if (argc > 1) {
		pthread_t thread;

		start(0, fiber_main);
		schedule(0);
		pthread_create(&thread, NULL, go_on, NULL);
		pthread_join(thread, NULL);
		printf("turns %d\n", turns);
		return 0;
	}
	for (int i = 0; i < FIBERS; i++)
		start(i, fiber_main);
	for (int turn = 0; turn <= TURNS; turn++)
		for (int i = 0; i < FIBERS; i++)
			schedule(i);
	/* Each second one is given up after two turns, and the next one begins on its stack. */
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < FIBERS; i++)
			if (round == 0 || i % 2 == 1)
				start(i, fiber_main);
		for (int turn = 0; turn < 2; turn++)
			for (int i = 0; i < FIBERS; i++)
				schedule(i);
	}
	printf("turns %d\n", turns);
	return 0;
}
