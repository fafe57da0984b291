/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arguments: calls with arguments of every kind.
 *   first(1001, 1002, ...) to sixth(6001, 6002, ...): six numbers each.
 *   small(-7): an int, with something else in the upper half of its register.
 *   text(...): texts of 0, 5, 64 and 65 bytes; one that ends where the mapping ends; a null
 * pointer, a pointer to nothing, and one into a page that is not in memory.
 */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>

#include "wait.h"

#define NUMBERS(name)                                                                              \
	PROBED void name(long a, long b, long c, long d, long e, long f)                           \
	{                                                                                          \
		sum += a + b + c + d + e + f;                                                      \
	}

static volatile long sum;

NUMBERS(first)
NUMBERS(second)
NUMBERS(third)
NUMBERS(fourth)
NUMBERS(fifth)
NUMBERS(sixth)

PROBED void small(int number)
{
	sum += number;
}

PROBED void text(const char *pointer)
{
	sum += pointer != NULL;
}

/* The byte before the end of what is mapped. */
static char *last_byte(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *two =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(two + page, page);
	return two + page - 1;
}

/* A page of a file that nobody has looked at: reading it takes a page fault. */
static const char *untouched(const char *file)
{
	const int fd = open(file, O_RDONLY);

	return mmap(NULL, 16, PROT_READ, MAP_PRIVATE, fd, 0);
}

int main(int argc, char **argv)
{
	/* As if the compiler had left something there; a function that takes an int must not look
	 * at it. */
	void (*volatile dirty)(long) = (void (*)(long))(uintptr_t)small;
	char longest[66];
	char *end;

	wait_for_start(&argc, &argv);
	first(1001, 1002, 1003, 1004, 1005, 1006);
	second(2001, 2002, 2003, 2004, 2005, 2006);
	third(3001, 3002, 3003, 3004, 3005, 3006);
	fourth(4001, 4002, 4003, 4004, 4005, 4006);
	fifth(5001, 5002, 5003, 5004, 5005, 5006);
	sixth(6001, 6002, 6003, 6004, 6005, 6006);
	dirty(0x5555555500000000 | (uint32_t)-7);
	text("");
	text("short");
	memset(longest, 'x', sizeof longest);
	longest[65] = 0;
	text(longest);
	text(longest + 1);
	end = last_byte();
	memcpy(end - 3, "end", 4);
	text(end - 3);
	text(NULL);
	text((const char *)8);
	text(untouched(argv[0]));
	printf("sum %ld\n", sum);
	return 0;
}
