/* SPDX-License-Identifier: Apache-2.0 */
/*
 * truth [SECONDS]: ten threads (and one that waits for them) that nest, recurse, sort, throw,
 * sleep, lock and starve, and keep books of it (books.h), which it prints at its end. Estimates
 * are held against them.
 */
#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "books.h"
#include "wait.h"

#define OPERATION extern "C" __attribute__((noinline, noclone))

enum Name {
	kOutside, /* of all operations */
	kTop,
	kMiddle,
	kRecursion,
	kLeaf,
	kTail,
	kTailed,
	kSort,
	kCompare,
	kThrow,
	kCatch,
	kKernel,
	kVdso,
	kPlt,
	kSignal,
	kShortSleep,
	kLongSleep,
	kMutex,
	kCondition,
	kPipe,
	kStarved,
	kRare,
	kHelped,
	kDeep,
	kNames
};
static const char *const kWords[kNames] = {
	"outside",	"op_top",  "op_middle",	 "op_recursion",   "op_leaf",	    "op_tail",
	"op_tailed",	"op_sort", "op_compare", "op_throw",	   "op_catch",	    "op_kernel",
	"op_vdso",	"op_plt",  "op_signal",	 "op_short_sleep", "op_long_sleep", "op_mutex",
	"op_condition", "op_pipe", "op_starved", "op_rare",	   "op_helped",	    "op_deep"};

static inline void spin(uint64_t rounds)
{
	for (uint64_t i = 0, x = rounds; i < rounds; ++i)
		__asm__ volatile("imul $3, %0, %0\n\tadd $1, %0" : "+r"(x));
}
static void sleep_ns(long ns)
{
	const timespec t = {0, ns};
	nanosleep(&t, nullptr);
}
static volatile int sink;

OPERATION void op_leaf(uint64_t rounds)
{
	Booked booked(kLeaf);
	spin(rounds);
}
OPERATION int op_recursion(int depth)
{
	volatile char frame[48];
	frame[0] = char(depth);
	Booked booked(kRecursion);
	spin(1500);
	if (depth == 0) {
		op_leaf(400'000);
		return frame[0];
	}
	return op_recursion(depth - 1) + frame[0];
}
/* 200 frames of some 230 bytes: more than is copied of a stack at once. */
OPERATION int op_deep(int depth)
{
	volatile char frame[200];
	frame[0] = char(depth);
	if (depth == 0) {
		Booked booked(kDeep);
		spin(300'000);
		return frame[0];
	}
	const int below = op_deep(depth - 1);
	return below + frame[0];
}
OPERATION int op_tailed(uint64_t rounds)
{
	Booked booked(kTailed);
	spin(rounds);
	return int(rounds);
}
OPERATION int op_tail(uint64_t rounds)
{
	{
		Booked booked(kTail);
		spin(rounds);
	}
	return op_tailed(2 * rounds); /* a jump: op_tail is on the stack no more */
}
OPERATION int op_compare(const void *a, const void *b)
{
	Booked booked(kCompare);
	spin(30'000);
	return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}
static __attribute__((noinline)) int cheaply(const void *a, const void *b)
{
	return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}
OPERATION void op_sort()
{
	Booked booked(kSort);
	static thread_local int values[20'000];
	static thread_local unsigned seed = 1;
	for (int &value : values)
		value = rand_r(&seed);
	qsort(values, 20'000, sizeof *values, cheaply);
	for (int i = 0; i < 12; ++i)
		values[i] = i * 7919 % 101;
	qsort(values, 12, sizeof *values, op_compare);
}
/* The book of the outermost one: while frames are unwound, the rest of them is still there. */
OPERATION void op_throw(int depth)
{
	volatile char frame[64];
	frame[1] = char(depth);
	if (depth == 0) {
		spin(5000);
		throw 7;
	}
	op_throw(depth - 1);
	frame[2] = frame[1];
}
OPERATION void op_throw_booked(int depth)
{
	Booked booked(kThrow);
	op_throw(depth);
}
OPERATION void op_catch()
{
	Booked booked(kCatch);
	for (int i = 0; i < 30; ++i)
		try {
			op_throw_booked(30);
		} catch (int) {
			spin(30'000);
		}
}
OPERATION void op_kernel()
{
	Booked booked(kKernel);
	static const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	static thread_local char bytes[65536];
	for (int i = 0; i < 120; ++i) {
		if (read(zero, bytes, sizeof bytes) < 0)
			abort();
		syscall(SYS_getppid);
	}
}
OPERATION void op_vdso()
{
	Booked booked(kVdso);
	for (int i = 0; i < 20'000; ++i)
		sink = int(clock_ns(CLOCK_REALTIME));
}
OPERATION void op_plt()
{
	Booked booked(kPlt);
	int sum = 0;
	for (int i = 0; i < 300'000; ++i)
		sum += toupper(i & 127);
	sink = sum;
}
static __attribute__((noinline)) int help(int a, int b)
{
	volatile char frame[24];
	frame[3] = char(a);
	__asm__ volatile("" ::: "rbx", "rbp", "r12", "r13", "r14");
	return frame[3] * b + 1;
}
OPERATION void op_helped()
{
	Booked booked(kHelped);
	int sum = 1;
	for (int i = 0; i < 300'000; ++i)
		sum += help(sum, i);
	sink = sum;
}
OPERATION void op_signal(int)
{
	Booked booked(kSignal);
	spin(300'000);
}
OPERATION void op_rare()
{
	Booked booked(kRare);
	spin(3500);
}
OPERATION void op_middle(uint64_t rounds)
{
	Booked booked(kMiddle);
	spin(rounds);
	pthread_kill(pthread_self(), SIGUSR2);
	op_tail(rounds);
	spin(rounds);
}
OPERATION void op_top()
{
	Booked booked(kTop);
	spin(300'000);
	op_middle(200'000);
	op_recursion(150);
	op_deep(200);
	op_sort();
	op_catch();
	op_kernel();
	op_vdso();
	op_plt();
	op_helped();
	op_rare();
	spin(200'000);
}

OPERATION void op_short_sleep()
{
	Booked booked(kShortSleep);
	sleep_ns(1'000'000);
	spin(100'000);
}
OPERATION void op_long_sleep(unsigned *seed)
{
	Booked booked(kLongSleep);
	sleep_ns(rand_r(seed) % 100 == 0 ? 300'000'000 : 5'000'000 + rand_r(seed) % 50'000'000);
	spin(200'000);
}
static std::mutex contended;
OPERATION void op_mutex()
{
	Booked booked(kMutex);
	std::lock_guard<std::mutex> lock(contended);
	spin(1'500'000);
}
static std::mutex waited_mutex;
static std::condition_variable waited;
static int due;
OPERATION void op_condition()
{
	Booked booked(kCondition);
	std::unique_lock<std::mutex> lock(waited_mutex);
	waited.wait(lock, [] { return due > 0; });
	--due;
	lock.unlock();
	spin(200'000);
}
static int pipe_ends[2];
OPERATION void op_pipe()
{
	Booked booked(kPipe);
	char c;
	if (read(pipe_ends[0], &c, 1) < 0)
		abort();
	spin(100'000);
}
OPERATION void op_starved()
{
	Booked booked(kStarved);
	spin(3'000'000);
}

static void give(int times)
{
	for (int i = 0; i < times; ++i) {
		if (write(pipe_ends[1], "x", 1) < 0)
			abort();
		{
			std::lock_guard<std::mutex> lock(waited_mutex);
			++due;
		}
		waited.notify_one();
	}
}
/* Onto the last CPU that it may use, which it shares with its like. */
static void pin()
{
	cpu_set_t may, one;
	CPU_ZERO(&one);
	sched_getaffinity(0, sizeof may, &may);
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; --cpu)
		if (CPU_ISSET(cpu, &may)) {
			CPU_SET(cpu, &one);
			break;
		}
	sched_setaffinity(0, sizeof one, &one);
}

constexpr int kThreads = 10;
static uint64_t deadline_ns;
static pthread_barrier_t ready;

static void work(long number, unsigned *seed)
{
	switch (number) {
	case 0:
		op_top();
		sleep_ns(3'000'000);
		break;
	case 1:
		op_short_sleep();
		break;
	case 2:
		op_long_sleep(seed);
		break;
	case 3:
	case 4:
		op_mutex();
		sleep_ns(rand_r(seed) % 4'000'000);
		break;
	case 5:
		op_condition();
		break;
	case 6:
	case 7:
		op_starved();
		sleep_ns(rand_r(seed) % 8'000'000);
		break;
	case 8:
		op_pipe();
		break;
	default:
		sleep_ns(2'000'000 + rand_r(seed) % 20'000'000);
		give(1);
	}
}

static void *run(void *argument)
{
	const long number = reinterpret_cast<long>(argument);
	unsigned seed = unsigned(number) * 77 + 1;
	open_books();
	if (number == 6 || number == 7)
		pin();
	pthread_barrier_wait(&ready);
	while (now_ns() < deadline_ns)
		work(number, &seed);
	if (number == 9)
		give(5); /* for who waits still */
	close_books();
	return nullptr;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	open_books();
	signal(SIGUSR2, op_signal);
	if (pipe(pipe_ends) < 0)
		return 1;
	deadline_ns = now_ns() + uint64_t(argument(argc, argv, 1, 5)) * 1'000'000'000;
	pthread_barrier_init(&ready, nullptr, kThreads);
	pthread_t threads[kThreads];
	for (long i = 0; i < kThreads; ++i)
		pthread_create(&threads[i], nullptr, run, reinterpret_cast<void *>(i));
	for (pthread_t &thread : threads)
		pthread_join(thread, nullptr);
	close_books();
	print_books(kWords, kNames);
	return 0;
}
