/* SPDX-License-Identifier: Apache-2.0 */
/* linked N: calls a library's function N times, through the linkage table. */
#include "../targets/wait.h"

long linked(long value);

int main(int argc, char **argv)
{
	long value = 0;

	wait_for_start(&argc, &argv);
	for (long i = 0, n = argument(argc, argv, 1, 0); i < n; i++)
		value = linked(value);
	printf("%ld\n", value);
	return 0;
}
