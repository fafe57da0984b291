/* SPDX-License-Identifier: Apache-2.0 */
/*
 * looked_into SECONDS: one operation, handle(), whose functions share its CPU time in known parts,
 * and keeps books of it. Prints "name cpu_ns wall_ns" of each, own time.
 */
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../targets/wait.h"

#define FUNCTION __attribute__((noinline, noclone))

enum {
	kScan,
	kHash,
	kHandle,
	kRead,
	kSleep,
	kBooks
};
static const char *const words[kBooks] = {"scan", "hash", "handle", "read", "sleep"};
static long long cpu[kBooks], wall[kBooks];
static volatile unsigned sink;
static char buffer[1 << 20];

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

#define BOOKED(which, work)                                                                        \
	do {                                                                                       \
		const long long cpu_before = now(CLOCK_THREAD_CPUTIME_ID);                         \
		const long long before = now(CLOCK_MONOTONIC);                                     \
		work;                                                                              \
		cpu[which] += now(CLOCK_THREAD_CPUTIME_ID) - cpu_before;                           \
		wall[which] += now(CLOCK_MONOTONIC) - before;                                      \
	} while (0)

/* Each with an operator of its own, lest compilers make one function of two. */
#define LOOP(times, operator)                                                                      \
	for (unsigned long i = 0; i < (times); i++)                                                \
	sink operator(unsigned) i

static FUNCTION void scan(unsigned long times)
{
	LOOP(times, +=);
}
static FUNCTION void hash(unsigned long times)
{
	LOOP(times, ^=);
}

/* What the kernel does for it. */
static FUNCTION void take(int fd, int times)
{
	while (times-- > 0)
		if (read(fd, buffer, sizeof buffer) < 0)
			sink++;
}

static FUNCTION void parse(int fd)
{
	BOOKED(kScan, scan(6000000));
	BOOKED(kHash, hash(2000000));
	BOOKED(kRead, take(fd, 16));
	sink++; /* no tail call */
}

FUNCTION void handle(int fd)
{
	const struct timespec nap = {0, 4000000};

	parse(fd);
	BOOKED(kHandle, LOOP(2000000, -=));
	BOOKED(kSleep, nanosleep(&nap, NULL));
	sink++;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long long end = now(CLOCK_MONOTONIC) + argument(argc, argv, 1, 2) * 1000000000ll;
	const int fd = open("/dev/zero", O_RDONLY);

	while (now(CLOCK_MONOTONIC) < end)
		handle(fd);
	for (int i = 0; i < kBooks; i++)
		printf("%s %lld %lld\n", words[i], cpu[i], wall[i]);
	return 0;
}
