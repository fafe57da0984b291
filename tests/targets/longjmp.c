/* SPDX-License-Identifier: Apache-2.0 */
/* longjmp [N]: in every second of N calls a longjmp leaves two frames. */
#include <setjmp.h>

#include "wait.h"

static jmp_buf place;

PROBED void inner(long i)
{
	if (i % 2 == 0)
		longjmp(place, 1);
	NOT_A_TAIL_CALL();
}

PROBED void middle(long i)
{
	inner(i);
	NOT_A_TAIL_CALL();
}

PROBED int outer(long i)
{
	if (setjmp(place) != 0)
		return 1;
	middle(i);
	NOT_A_TAIL_CALL();
	return 0;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long count = argument(argc, argv, 1, 100);
	long jumps = 0;

	for (long i = 0; i < count; i++)
		jumps += outer(i);
	printf("jumps %ld\n", jumps);
	return 0;
}
