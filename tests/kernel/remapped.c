/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remapped dropped|remapped|changed|tidied: calls work() 100 times, does that to the page that it is in, says so, and when it has
 * read a line calls it 100 times again. dropped: gives its copy of the page back (madvise), so that the file's bytes are there
 * again; remapped: maps the file anew over it; changed: puts a jump to another function there; tidied: writes the byte that
 * the file has at the function's start, as a debugger does that deletes its breakpoint.
 */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>

#include "wait.h"

/* In pages of its own: nothing else of the program changes. */
__attribute__((section("probed_text"), aligned(4096))) PROBED long work(long value)
{
	return value * 3 + 1;
}

__attribute__((section("probed_text"), aligned(4096))) PROBED long after(long value)
{
	return value;
}

PROBED static long instead(long value)
{
	return value + 1000;
}

static void write_code(unsigned char *to, const void *bytes, size_t size)
{
	if (mprotect(to, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		exit(3);
	memcpy(to, bytes, size);
	if (mprotect(to, 4096, PROT_READ | PROT_EXEC) != 0)
		exit(3);
}

static void map_anew(unsigned char *page)
{
	unsigned long start = 0, end = 0, offset = 0, base = 0;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	const int file = open("/proc/self/exe", O_RDONLY);

	while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &base) == 3 && start <= (uintptr_t)page && (uintptr_t)page < end)
			offset = base + ((uintptr_t)page - start);
	if (mmap(page, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, (off_t)offset) != page)
		exit(3);
}

int main(int argc, char **argv)
{
	unsigned char *page = (unsigned char *)(uintptr_t)work;
	unsigned char first = *page, jump[14] = {0xff, 0x25, 0, 0, 0, 0};
	void *target = (void *)(uintptr_t)instead;
	long sum = 0;

	wait_for_start(&argc, &argv);
	for (long i = 0; i < 100; i++)
		sum += work(i);
	if (strcmp(argv[1], "dropped") == 0 && madvise(page, 4096, MADV_DONTNEED) != 0)
		exit(3);
	if (strcmp(argv[1], "remapped") == 0)
		map_anew(page);
	if (strcmp(argv[1], "tidied") == 0)
		write_code(page, &first, 1);
	memcpy(jump + 6, &target, sizeof target);
	if (strcmp(argv[1], "changed") == 0)
		write_code(page, jump, sizeof jump);
	printf("done\n");
	fflush(stdout);
	(void)!getchar();
	for (long i = 0; i < 100; i++)
		sum += work(i);
	printf("%ld\n", sum + after(0));
	return 0;
}
