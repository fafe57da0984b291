/* SPDX-License-Identifier: Apache-2.0 */
/* siglongjmp [N]: a signal handler jumps out of itself and of the two calls that it interrupted, N times. */
#include <setjmp.h>

#include "wait.h"

static sigjmp_buf place;

PROBED void handle(void)
{
	siglongjmp(place, 1);
}

static void on_signal(int number)
{
	(void)number;
	handle();
}

PROBED void interrupted(void)
{
	raise(SIGUSR2);
	NOT_A_TAIL_CALL();
}

PROBED int outer(void)
{
	if (sigsetjmp(place, 1) != 0)
		return 1;
	interrupted();
	NOT_A_TAIL_CALL();
	return 0;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long count = argument(argc, argv, 1, 50);
	struct sigaction action = {0};
	long jumps = 0;

	action.sa_handler = on_signal;
	sigaction(SIGUSR2, &action, NULL);
	for (long i = 0; i < count; i++)
		jumps += outer();
	printf("jumps %ld\n", jumps);
	return 0;
}
