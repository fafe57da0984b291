/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program to take samples of: does what its arguments say, one after the other, and prints what
 * CPU time and time it took.
 * - spin MS: uses so much CPU time
 * - unprobed MS: likewise, in unprobed_loop()
 * - deep KIB MS: as spin, below so much of a stack
 * - lies MS: likewise, half of it in a function whose stack pointer is none
 * - nap US MS: sleeps again and again, for so long in all
 * - threads N MS: as spin, in so many threads at once
 * - child MS: as spin, in a child
 * - library FILE MS: as spin, within crc32() of a library that is loaded now
 * - plugin FILE MS: as library, which is unloaded again
 * - altstack MS: as spin, in a signal handler on a stack of its own
 * - fiber MS: as spin, on a stack that the program made and switches to
 * - secret SEED MS: as spin, with a text on the stack again and again that nobody else has: <the
 *   seed's multiples by 7919 and by 104729, with a dash between>
 * - exec FILE ...: executes that, with what follows as its arguments
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

#include "../targets/wait.h"

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static volatile unsigned sink;

__attribute__((noinline)) static void spin(long ms)
{
	const long long end = now(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000ll;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 100000; i++)
			sink += i;
}

static void deep(long kib, long ms)
{
	volatile char *below = __builtin_alloca(kib << 10);

	for (long i = 0; i < kib << 10; i++)
		below[i] = 1;
	spin(ms);
	below[0] = 2;
}

/* Begins with an instruction that the kernel takes for a nop, so that no probe may sit there. */
void unprobed_loop(long n);
__asm__(".text\n.type unprobed_loop, @function\nunprobed_loop:\n"
	".cfi_startproc\n"
	"xchg %r8, %rax\nxchg %r8, %rax\ndec %rdi\njne unprobed_loop\nret\n"
	".cfi_endproc\n.size unprobed_loop, . - unprobed_loop\n");

static void unprobed(long ms)
{
	const long long end = now(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000ll;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		unprobed_loop(100000);
}

/* Counts down without a stack: nobody can tell who called it. */
void stackless_loop(long n);
__asm__(".text\n.type stackless_loop, @function\nstackless_loop:\n"
	".cfi_startproc\n"
	"mov %rsp, %rdx\nmov $16, %esp\n1: dec %rdi\njne 1b\nmov %rdx, %rsp\nret\n"
	".cfi_endproc\n.size stackless_loop, . - stackless_loop\n");

__attribute__((noinline)) static void lies(long ms)
{
	const long long end = now(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000ll;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end) {
		const long long begun = now(CLOCK_THREAD_CPUTIME_ID);

		stackless_loop(1000000);
		const long long length = now(CLOCK_THREAD_CPUTIME_ID) - begun;

		while (now(CLOCK_THREAD_CPUTIME_ID) < begun + 2 * length)
			for (int i = 0; i < 1000; i++)
				sink += i;
	}
}

__attribute__((noinline)) static void nap(long us, long ms)
{
	const struct timespec length = {us / 1000000, us % 1000000 * 1000};
	const long long end = now(CLOCK_MONOTONIC) + ms * 1000000ll;

	while (now(CLOCK_MONOTONIC) < end)
		nanosleep(&length, NULL);
}

static void *spin_thread(void *ms)
{
	spin((long)ms);
	return NULL;
}

static void threads(long n, long ms)
{
	pthread_t all[64];

	for (long i = 0; i < n && i < 64; i++)
		pthread_create(&all[i], NULL, spin_thread, (void *)ms);
	for (long i = 0; i < n && i < 64; i++)
		pthread_join(all[i], NULL);
}

static void child(long ms)
{
	const pid_t pid = fork();

	if (pid == 0) {
		spin(ms);
		_exit(0);
	}
	printf("child %d\n", (int)pid);
	waitpid(pid, NULL, 0);
}

static void library(const char *file, long ms, int unload)
{
	static unsigned char bytes[1 << 20];
	void *handle = dlopen(file, RTLD_NOW);
	unsigned long (*crc32)(unsigned long, const unsigned char *, unsigned) =
		handle ? dlsym(handle, "crc32") : NULL;
	const long long end = now(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000ll;

	if (!crc32)
		exit(3);
	printf("crc32 %ld\n", (long)crc32);
	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		sink += crc32(0, bytes, sizeof bytes);
	if (unload)
		dlclose(handle);
}

static char other_stack[256 << 10];
static long other_ms;

static void on_signal(int number)
{
	(void)number;
	spin(other_ms);
}

static void altstack(long ms)
{
	const stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
	const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

	other_ms = ms;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

static void in_fiber(void)
{
	spin(other_ms);
}

static void fiber(long ms)
{
	ucontext_t back, there;

	other_ms = ms;
	getcontext(&there);
	there.uc_stack.ss_sp = other_stack;
	there.uc_stack.ss_size = sizeof other_stack;
	there.uc_link = &back;
	makecontext(&there, in_fiber, 0);
	swapcontext(&back, &there);
}

static void secret(long seed, long ms)
{
	char text[64];
	volatile char below[8192];
	const int length = snprintf(text, sizeof text, "<%ld-%ld>", seed * 7919, seed * 104729);

	for (int i = 0; i < (int)sizeof below; i++)
		below[i] = text[i % length];
	spin(ms);
	below[0] = 0;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long long cpu = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);

	for (int i = 1; i < argc;) {
		const char *what = argv[i++];

		if (!strcmp(what, "spin")) {
			spin(argument(argc, argv, i, 0));
			i += 1;
		} else if (!strcmp(what, "lies")) {
			lies(argument(argc, argv, i, 0));
			i += 1;
		} else if (!strcmp(what, "deep")) {
			deep(argument(argc, argv, i, 0), argument(argc, argv, i + 1, 0));
			i += 2;
		} else if (!strcmp(what, "nap")) {
			nap(argument(argc, argv, i, 0), argument(argc, argv, i + 1, 0));
			i += 2;
		} else if (!strcmp(what, "unprobed")) {
			unprobed(argument(argc, argv, i, 0));
			i += 1;
		} else if (!strcmp(what, "threads")) {
			threads(argument(argc, argv, i, 0), argument(argc, argv, i + 1, 0));
			i += 2;
		} else if (!strcmp(what, "child")) {
			child(argument(argc, argv, i, 0));
			i += 1;
		} else if (!strcmp(what, "library")) {
			library(argv[i], argument(argc, argv, i + 1, 0), 0);
			i += 2;
		} else if (!strcmp(what, "plugin")) {
			library(argv[i], argument(argc, argv, i + 1, 0), 1);
			i += 2;
		} else if (!strcmp(what, "altstack")) {
			altstack(argument(argc, argv, i, 0));
			i += 1;
		} else if (!strcmp(what, "fiber")) {
			fiber(argument(argc, argv, i, 0));
			i += 1;
		} else if (!strcmp(what, "secret")) {
			secret(argument(argc, argv, i, 0), argument(argc, argv, i + 1, 0));
			i += 2;
		} else if (!strcmp(what, "exec")) {
			fflush(stdout);
			execv(argv[i], argv + i);
			return 4;
		} else {
			return 2;
		}
	}
	printf("cpu %lld\nwall %lld\n", now(CLOCK_PROCESS_CPUTIME_ID) - cpu,
	       now(CLOCK_MONOTONIC) - wall);
	return 0;
}
