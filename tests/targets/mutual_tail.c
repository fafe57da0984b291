/* SPDX-License-Identifier: Apache-2.0 */
/* mutual_tail [N [CALLS]]: is_even(N) and is_odd jump to each other down to 0, CALLS times. N + 1 entries, one return. */
#include "wait.h"

int is_odd(long value);

PROBED int is_even(long value)
{
	if (value == 0)
		return 1;
	return is_odd(value - 1);
}

PROBED int is_odd(long value)
{
	if (value == 0)
		return 0;
	return is_even(value - 1);
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long value = argument(argc, argv, 1, 20);
	const long calls = argument(argc, argv, 2, 10);
	long even = 0;

	for (long i = 0; i < calls; i++)
		even += is_even(value);
	printf("even %ld\n", even);
	return 0;
}
