/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What programs share that keep books of where their time goes, by CLOCK_MONOTONIC. They print them where the
 * environment has BOOKS: what they print else is the same each time.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct book {
	const char *name;
	long calls;
	long long own_ns;
};

static inline long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Works for so many µs, in that function's book. */
static inline void work(struct book *of, long us)
{
	const long long begin = now_ns(), end = begin + us * 1000LL;
	long long now;

	do
		now = now_ns();
	while (now < end);
	of->own_ns += now - begin;
}

static inline void print_book(const struct book *of)
{
	if (getenv("BOOKS"))
		printf("%s %ld %lld\n", of->name, of->calls, of->own_ns);
}
