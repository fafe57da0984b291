/* SPDX-License-Identifier: Apache-2.0 */
/* deep [DEPTH]: one call of descend() nested in another, DEPTH of them. The kernel follows 64 returns per thread. */
#include "wait.h"

PROBED long descend(long depth)
{
	long below = depth > 1 ? descend(depth - 1) : 0;

	NOT_A_TAIL_CALL();
	__asm__ volatile("" : "+r"(below));
	return below + 1;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	printf("depth %ld\n", descend(argument(argc, argv, 1, 100)));
	return 0;
}
