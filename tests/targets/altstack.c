/* SPDX-License-Identifier: Apache-2.0 */
/*
 * altstack [above|below]: as signal.c, but the handler runs on a stack of its own, which lies above or below the
 * thread's stack in memory.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "wait.h"

#define STACK (256 * 1024)
#define COUNT 50

#ifdef ELSEWHERE
int give_stack(void *memory, size_t size);
#else
static int give_stack(void *memory, size_t size)
{
	stack_t stack = {.ss_sp = memory, .ss_size = size};

	return sigaltstack(&stack, NULL);
}
#endif

static volatile long handled;
static char *alternate;

PROBED long handle(long value)
{
	return value + 1;
}

static void on_signal(int number)
{
	char local;

	(void)number;
	if (&local < alternate || &local >= alternate + STACK)
		abort();
	handled = handle(handled);
}

PROBED long interrupted(long value)
{
	raise(SIGUSR2);
	NOT_A_TAIL_CALL();
	return value + 1;
}

static void *run(void *unused)
{
	struct sigaction action = {0};
	long done = 0;

	if (give_stack(alternate, STACK) != 0)
		abort();
	action.sa_handler = on_signal;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	for (int i = 0; i < COUNT; i++)
		done = interrupted(done);
	printf("interrupted %ld handled %ld\n", done, handled);
	return unused;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const int above = argc < 2 || strcmp(argv[1], "below") != 0;
	char *memory = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	if (memory == MAP_FAILED)
		return 1;
	alternate = above ? memory + STACK : memory;
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, above ? memory : memory + STACK, STACK);
	if (pthread_create(&thread, &attributes, run, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	return 0;
}
