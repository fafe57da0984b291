/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Books that a program keeps of itself: per operation the time of all threads on a CPU and off it,
 * its own (the innermost operation on the stack) and in all (anywhere on the stack), in ns.
 *
 * Reading a thread's CPU clock is itself where the scheduler likes to take the CPU away: it is read
 * where that time belongs to the operation whose frame is on the stack (entering: wall clock first,
 * leaving: wall clock last, and within a call that returns to the operation).
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>

/* Operations are numbered from 1; 0 is what is outside of all of them. */
constexpr int kMostOperations = 32;

static inline uint64_t clock_ns(clockid_t clock)
{
	timespec t;
	clock_gettime(clock, &t);
	return uint64_t(t.tv_sec) * 1'000'000'000 + uint64_t(t.tv_nsec);
}
static inline uint64_t now_ns()
{
	return clock_ns(CLOCK_MONOTONIC);
}

struct Sums {
	uint64_t own_cpu = 0, own_off = 0, all_cpu = 0, all_off = 0;
};

/* Of one thread. */
struct Books {
	std::array<Sums, kMostOperations> sums;
	std::array<int, kMostOperations> open{}; /* frames on the stack */
	std::array<int, 4096> stack{};
	int depth = 0;
	uint64_t wall_ns = 0, cpu_ns = 0; /* booked up to here */

	void book(uint64_t wall, uint64_t cpu)
	{
		const uint64_t on = cpu - cpu_ns, off = std::max(wall - wall_ns, on) - on;
		sums[stack[depth]].own_cpu += on;
		sums[stack[depth]].own_off += off;
		for (int i = 0; i < kMostOperations; ++i)
			if (open[i])
				sums[i].all_cpu += on, sums[i].all_off += off;
		wall_ns = wall, cpu_ns = cpu;
	}
};
static thread_local Books *books;
static std::deque<Books> all_books;
static std::mutex all_books_mutex;

/* Each thread opens its books before its first operation, and closes them after its last one. */
static void open_books()
{
	{
		std::lock_guard<std::mutex> lock(all_books_mutex);
		books = &all_books.emplace_back();
	}
	books->open[0] = 1;
	books->wall_ns = now_ns();
	books->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}
static void close_books()
{
	const uint64_t wall = now_ns();
	books->book(wall, clock_ns(CLOCK_THREAD_CPUTIME_ID));
}

static __attribute__((noinline)) void enter(int operation)
{
	const uint64_t wall = now_ns();
	books->book(wall, clock_ns(CLOCK_THREAD_CPUTIME_ID));
	books->stack[++books->depth] = operation;
	++books->open[operation];
}
static __attribute__((noinline)) void leave()
{
	const uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	books->book(now_ns(), cpu);
	--books->open[books->stack[books->depth--]];
}
/* An operation, while its function is at work. */
struct Booked {
	explicit Booked(int operation)
	{
		enter(operation);
	}
	~Booked()
	{
		leave();
		__asm__ volatile(""); /* no jump to leave(): the operation stays on the stack */
	}
};

/* "name own_cpu own_off all_cpu all_off", once all books are closed. */
static void print_books(const char *const *names, int operations)
{
	for (int i = 0; i < operations; ++i) {
		Sums sum;
		for (const Books &one : all_books) {
			sum.own_cpu += one.sums[i].own_cpu, sum.own_off += one.sums[i].own_off;
			sum.all_cpu += one.sums[i].all_cpu, sum.all_off += one.sums[i].all_off;
		}
		printf("%s %llu %llu %llu %llu\n", names[i], (unsigned long long)sum.own_cpu,
		       (unsigned long long)sum.own_off, (unsigned long long)sum.all_cpu,
		       (unsigned long long)sum.all_off);
	}
}
