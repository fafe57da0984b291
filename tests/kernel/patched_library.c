/* SPDX-License-Identifier: Apache-2.0 */
/* The library of patched.c. */
long patched_work(long value);

__attribute__((noipa)) long patched_work(long value)
{
	volatile long kept = value * 5;

	for (int i = 0; i < 3; i++)
		kept += i;
	return kept;
}
