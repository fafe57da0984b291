/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the target programs share. Each takes "--wait" as its first argument: it then prints "pid N" and goes on when it
 * has read a line (or the end) from stdin, or got SIGUSR1, so that a tester can attach first.
 */

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A function to be probed: one symbol, never inlined, cloned, or worked out at compile time. */
#ifdef __clang__
#define PROBED __attribute__((noinline, optnone))
#else
#define PROBED __attribute__((noipa))
#endif

/*
 * Turns of a loop, more of them where the tester says so: on a machine where probes cost more, they then slow a program as they do
 * elsewhere.
 */
static inline long scaled(long turns)
{
	static double scale;

	if (scale == 0) {
		const char *said = getenv("COMPMOND_WORK_SCALE");

		scale = said ? atof(said) : 1;
	}
	return (long)((double)turns * scale);
}

/* Keeps what comes before it from becoming the function's last action, that is, a tail call. */
#define NOT_A_TAIL_CALL() __asm__ volatile("" ::: "memory")

static volatile sig_atomic_t wait_released;

static void wait_on_signal(int number)
{
	(void)number;
	wait_released = 1;
}

static inline void wait_for_start(int *argc, char ***argv)
{
	struct sigaction action, former;
	struct pollfd in = {STDIN_FILENO, POLLIN, 0};
	sigset_t block, open;
	char c = 0;

	if (*argc < 2 || strcmp((*argv)[1], "--wait") != 0)
		return;
	(*argv)[1] = (*argv)[0];
	++*argv;
	--*argc;

	/* The signal is let in during ppoll only, so that it cannot come between the check and the wait. */
	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	sigprocmask(SIG_BLOCK, &block, &open);
	memset(&action, 0, sizeof action);
	action.sa_handler = wait_on_signal;
	sigaction(SIGUSR1, &action, &former);

	printf("pid %d\n", (int)getpid());
	fflush(stdout);
	while (!wait_released && c != '\n') {
		if (ppoll(&in, 1, NULL, &open) < 0)
			continue;
		if (read(STDIN_FILENO, &c, 1) <= 0)
			break;
	}
	sigaction(SIGUSR1, &former, NULL);
	sigprocmask(SIG_SETMASK, &open, NULL);
}

/* The argument at `index` as a number, or `fallback`. */
static inline long argument(int argc, char **argv, int index, long fallback)
{
	return index < argc ? strtol(argv[index], NULL, 10) : fallback;
}
