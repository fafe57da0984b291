/* SPDX-License-Identifier: Apache-2.0 */
/* dispatched WHEN CALLS: has the system calls of functions dispatched to itself (PR_SET_SYSCALL_USER_DISPATCH), as Wine does for
 * those of Windows: "before" it waits for its start, in a "thread" of its own (likewise), or "later", behind 100 calls, when it says "on" and
 * waits for a line. Prints their sum, and how many system calls they made. */
#include <linux/prctl.h>
#include <pthread.h>
#include <sys/prctl.h>

#include "../targets/wait.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif

enum { ALLOW, BLOCK };
static volatile char selector = ALLOW;
static volatile long taken;
static long calls, sum;
static pthread_barrier_t barrier;

PROBED long work(long value)
{
	return value * 3 + 1;
}

long padded(long value);
__asm__(".text\n"
	".globl padded\n"
	".type padded, @function\n"
	"padded:\n"
	"	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"	lea 2(%rdi), %rax\n"
	"	ret\n"
	".size padded, .-padded\n");

static void take(int number)
{
	(void)number;
	taken++;
	selector = ALLOW; /* for the return from this handler */
}

static void dispatch(void)
{
	signal(SIGSYS, take);
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector) != 0)
		exit(3);
}

static void call(char during)
{
	for (long i = 0; i < calls; i++) {
		selector = during;
		sum += work(i) + padded(i);
		selector = ALLOW;
	}
}

static void *on_a_thread(void *unused)
{
	dispatch();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	call(BLOCK);
	return unused;
}

int main(int argc, char **argv)
{
	const int waits = argc > 1 && strcmp(argv[1], "--wait") == 0;
	const char *const when = argv[1 + waits];
	pthread_t thread;

	if (argc < 3 + waits)
		return 2;
	calls = argument(argc, argv, 2 + waits, 100);
	if (strcmp(when, "before") == 0)
		dispatch();
	if (strcmp(when, "thread") == 0) {
		pthread_barrier_init(&barrier, NULL, 2);
		pthread_create(&thread, NULL, on_a_thread, NULL);
		pthread_barrier_wait(&barrier);
	}
	wait_for_start(&argc, &argv);
	if (strcmp(when, "thread") == 0) {
		pthread_barrier_wait(&barrier);
		pthread_join(thread, NULL);
	}
	if (strcmp(when, "later") == 0) {
		call(ALLOW);
		dispatch();
		printf("on\n");
		fflush(stdout);
		(void)!getchar();
	}
	if (strcmp(when, "thread") != 0)
		call(BLOCK);
	printf("sum %ld, %ld system calls\n", sum, taken);
	return 0;
}
