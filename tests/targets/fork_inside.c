/* SPDX-License-Identifier: Apache-2.0 */
/* fork_inside: forks inside a call; the child returns from a call that it never made, calls in_child() and ends. */
#include <sys/wait.h>

#include "wait.h"

PROBED pid_t forker(void)
{
	const pid_t child = fork();

	NOT_A_TAIL_CALL();
	return child;
}

PROBED int in_child(int value)
{
	return value + 1;
}

PROBED int in_parent(int value)
{
	return value - 1;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const pid_t child = forker();
	int status = 0;

	if (child == 0)
		_exit(in_child(6));
	waitpid(child, &status, 0);
	printf("child %d parent %d\n", WEXITSTATUS(status), in_parent(1));
	return 0;
}
