/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patched own|library|none [N]: puts a jump to another function over the first bytes of work(), or of linked_work() of a
 * library, as detours do, then waits, then calls both N times each.
 */
#include <stdint.h>
#include <sys/mman.h>

#include "wait.h"

long patched_work(long value);

PROBED long work(long value)
{
	return value * 3 + 1;
}

PROBED static long instead(long value)
{
	return value + 1000;
}

static void detour(void *from, void *to)
{
	const uintptr_t page = (uintptr_t)from & ~4095UL;
	unsigned char jump[14] = {0xff, 0x25, 0, 0, 0, 0};

	memcpy(jump + 6, &to, sizeof to);
	if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		exit(3);
	memcpy(from, jump, sizeof jump);
	if (mprotect((void *)page, 8192, PROT_READ | PROT_EXEC) != 0)
		exit(3);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 && strcmp(argv[1], "--wait") == 0 ? argv[2] : argv[1];

	if (strcmp(what, "own") == 0)
		detour((void *)(uintptr_t)work, (void *)(uintptr_t)instead);
	if (strcmp(what, "library") == 0)
		detour((void *)(uintptr_t)patched_work, (void *)(uintptr_t)instead);
	wait_for_start(&argc, &argv);

	const long count = argument(argc, argv, 2, 10);
	long sum = 0, other = 0;

	for (long i = 0; i < count; i++) {
		sum += work(i);
		other += patched_work(i);
	}
	printf("%ld %ld\n", sum, other);
	return 0;
}
