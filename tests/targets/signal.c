/* SPDX-License-Identifier: Apache-2.0 */
/* signal [N]: a signal handler calls a probed function in the middle of another one, N times, on the same stack. */
#include "wait.h"

static volatile long handled;

PROBED long handle(long value)
{
	return value + 1;
}

static void on_signal(int number)
{
	(void)number;
	handled = handle(handled);
}

PROBED long interrupted(long value)
{
	raise(SIGUSR2);
	NOT_A_TAIL_CALL();
	return value + 1;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long count = argument(argc, argv, 1, 50);
	struct sigaction action = {0};
	long done = 0;

	action.sa_handler = on_signal;
	sigaction(SIGUSR2, &action, NULL);
	for (long i = 0; i < count; i++)
		done = interrupted(done);
	printf("interrupted %ld handled %ld\n", done, handled);
	return 0;
}
