/* SPDX-License-Identifier: Apache-2.0 */
/* exec_inside: executes itself anew inside a call, which never returns; the new image calls after_exec() 5 times. */
#include "wait.h"

PROBED int launcher(char *name)
{
	char *const arguments[] = {name, "second", NULL};

	execv("/proc/self/exe", arguments);
	NOT_A_TAIL_CALL();
	return 1;
}

PROBED int after_exec(int value)
{
	return value + 1;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	int value = 0;

	if (argc < 2 || strcmp(argv[1], "second") != 0)
		return launcher(argv[0]);
	for (int i = 0; i < 5; i++)
		value = after_exec(value);
	printf("after exec %d\n", value);
	return 0;
}
