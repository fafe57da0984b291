/* SPDX-License-Identifier: Apache-2.0 */
/* self_reading HOW: reads its own code, as what guards itself, or packs or moves code, does. "sums" prints the sum of a function's bytes
 * for each line that it reads; "copies" calls a copy of the function. */
#include <stdint.h>
#include <sys/mman.h>

#include "../targets/wait.h"

enum { SIZE = 64 };

__attribute__((aligned(SIZE))) PROBED long work(long value)
{
	return value * 3 + 1;
}

static long sum_up(void)
{
	const volatile unsigned char *code = (const volatile unsigned char *)(uintptr_t)work;
	long sum = 0;

	for (int i = 0; i < SIZE; i++)
		sum = sum * 31 + code[i];
	return sum;
}

static void call_a_copy(void)
{
	void *copy = mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		exit(3);
	memcpy(copy, (const void *)(uintptr_t)work, SIZE);
	printf("%ld\n", ((long (*)(long))(uintptr_t)copy)(5));
}

int main(int argc, char **argv)
{
	const char *how;

	wait_for_start(&argc, &argv);
	how = argc > 1 ? argv[1] : "";
	if (strcmp(how, "copies") == 0)
		call_a_copy();
	if (strcmp(how, "sums") == 0)
		for (int c = getchar(); c != EOF; c = getchar()) {
			printf("%ld\n", sum_up());
			fflush(stdout);
		}
	printf("%ld\n", work(5));
	return 0;
}
