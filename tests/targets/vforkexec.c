/* SPDX-License-Identifier: Apache-2.0 */
/* vforkexec [N]: N times a vfork inside a call, whose child borrows the stack and executes another program. */
#include <sys/wait.h>

#include "wait.h"

PROBED int spawner(char *program)
{
	char *const arguments[] = {program, NULL};
	int status = -1;
	const pid_t child = vfork();

	if (child == 0) {
		execv(program, arguments);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long count = argument(argc, argv, 1, 3);
	char program[] = "/bin/true";
	int sum = 0;

	for (long i = 0; i < count; i++)
		sum += spawner(program);
	printf("spawned %ld status %d\n", count, sum);
	return 0;
}
