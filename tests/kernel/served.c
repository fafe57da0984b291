/* SPDX-License-Identifier: Apache-2.0 */
/*
 * served SECONDS [CALLS]: answers requests of two clients, one of which asks three times as often as the other. Each is read from a
 * descriptor of its own; answer() calls often() or rare(), and these step() twice or ten times. CALLS: other calls of the system per
 * request. At its end, or at SIGTERM, it prints how often each of the last three functions was called.
 */
#include <sys/syscall.h>
#include <time.h>

#include "../targets/wait.h"

static unsigned long often_calls, rare_calls, step_calls;
static volatile long sink;
static volatile sig_atomic_t over;

static inline __attribute__((always_inline)) void spin(long turns)
{
	const long all = scaled(turns);

	for (long i = 0; i < all; i++)
		sink += i;
}

PROBED void step(void)
{
	step_calls++;
	spin(2400);
}

PROBED void often(void)
{
	often_calls++;
	for (int i = 0; i < 2; i++)
		step();
	spin(24000);
}

PROBED void rare(void)
{
	rare_calls++;
	for (int i = 0; i < 10; i++)
		step();
	spin(72000);
}

PROBED void answer(int which)
{
	which ? rare() : often();
	NOT_A_TAIL_CALL();
}

static void end_it(int number)
{
	(void)number;
	over = 1;
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int argc, char **argv)
{
	int client[2][2];
	unsigned int state = 1;
	char request[16] = "request";
	const struct sigaction action = {.sa_handler = end_it, .sa_flags = SA_RESTART};

	sigaction(SIGTERM, &action, 0);
	wait_for_start(&argc, &argv);
	if (argc < 2 || argc > 3 || pipe(client[0]) != 0 || pipe(client[1]) != 0)
		return 64;
	const int others = argc > 2 ? atoi(argv[2]) : 0;
	const long long end = now_ns() + (long long)(atof(argv[1]) * 1e9);

	while (!over && now_ns() < end) {
		state = state * 1103515245 + 12345;
		const int which = (state >> 16) % 4 == 0;

		if (write(client[which][1], request, 8) != 8 || read(client[which][0], request, sizeof request) != 8)
			return 74;
		for (int i = 0; i < others; i++)
			syscall(SYS_getppid);
		answer(which);
	}
	printf("%lu %lu %lu\n", often_calls, rare_calls, step_calls);
	return 0;
}
