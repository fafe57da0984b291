/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fiber: three fibers with stacks of their own take turns, so calls do not end in the order in which they began. Prints 9;
 * a profiler that pairs returns by nesting makes it 3.
 */
#include <ucontext.h>

#include "wait.h"

#define FIBERS 3
#define TURNS 3
#define STACK (64 * 1024)

static ucontext_t scheduler, fibers[FIBERS];
static char stacks[FIBERS][STACK];
static int current, total;

PROBED int step(int fiber)
{
	swapcontext(&fibers[fiber], &scheduler);
	NOT_A_TAIL_CALL();
	return 1;
}

PROBED void fiber_work(int fiber)
{
	for (int turn = 0; turn < TURNS; turn++)
		total += step(fiber);
	NOT_A_TAIL_CALL();
}

static void fiber_main(void)
{
	fiber_work(current);
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	for (int i = 0; i < FIBERS; i++) {
		getcontext(&fibers[i]);
		fibers[i].uc_stack.ss_sp = stacks[i];
		fibers[i].uc_stack.ss_size = STACK;
		fibers[i].uc_link = &scheduler;
		makecontext(&fibers[i], fiber_main, 0);
	}
	for (int turn = 0; turn <= TURNS; turn++) {
		for (current = 0; current < FIBERS; current++)
			swapcontext(&scheduler, &fibers[current]);
	}
	printf("%d\n", total);
	return 0;
}
