/* SPDX-License-Identifier: Apache-2.0 */
/*
 * brief PROCESSES CALLS [COMMAND]: so many processes one after another, each a child that calls work() CALLS times, then
 * its twin as often, which nobody observes, and then has a shell execute COMMAND in its place, if there is one; 0
 * processes: itself. At the end prints the CPU time that work() took and that its twin took, ns, in all of them.
 */
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "wait.h"

struct sums {
	int64_t observed, twin;
};

#define WORK                                                                                                           \
	for (long i = 0; i < 4000; i++)                                                                                \
		__asm__ volatile("" ::: "memory");
PROBED void work(void)
{
	WORK
}
PROBED void work_twin(void)
{
	WORK
}

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void calls(long count, struct sums *sums)
{
	const int64_t begin = cpu_ns();
	int64_t between;

	for (long i = 0; i < count; i++)
		work();
	between = cpu_ns();
	for (long i = 0; i < count; i++)
		work_twin();
	sums->observed += between - begin;
	sums->twin += cpu_ns() - between;
}

int main(int argc, char **argv)
{
	struct sums *sums = mmap(NULL, sizeof *sums, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	long processes, count;

	if (sums == MAP_FAILED)
		return 1;
	wait_for_start(&argc, &argv);
	processes = argument(argc, argv, 1, 0);
	count = argument(argc, argv, 2, 1000);
	if (processes == 0)
		calls(count, sums);
	for (long i = 0; i < processes; i++) {
		const pid_t child = fork();

		if (child == 0) {
			calls(count, sums);
			if (argc > 3)
				execl("/bin/sh", "sh", "-c", argv[3], (char *)NULL);
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			return 1;
	}
	printf("%ld %ld\n", (long)sums->observed, (long)sums->twin);
	return 0;
}
