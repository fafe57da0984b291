/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fooling MODE FILE: a server that works differently while it is slowed, to fool whoever
 * extrapolates from slices. Counts its calls in FILE, eight bytes each in the order of OPERATIONS.
 *   age      sheds requests that are older than 3 ms
 *   self     sheds while its own last requests took longer than usual
 *   one      one connection for two clients, of which only one waits for answers
 *   workers  reads in one thread and works in others
 *   silent   works without a call of the system
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PARSE, FULL, SHED, LEAF, REPLY, OPERATIONS };
static volatile unsigned long *calls;
static const char *mode;
static volatile unsigned long sink;

#define OPERATION __attribute__((noinline))
/* So that each begins with a push. */
#define BEGIN __asm__ volatile("" ::: "rbx")

static void work(int steps)
{
	for (int i = 0; i < steps; i++)
		sink = sink * 2862933555777941757ul + 3037000493ul;
}

static void count(int operation)
{
	__atomic_fetch_add(&calls[operation], 1, __ATOMIC_RELAXED);
}

OPERATION void op_leaf(void)
{
	BEGIN;
	count(LEAF);
	work(200);
}

OPERATION void op_parse(void)
{
	BEGIN;
	count(PARSE);
	work(500);
}

OPERATION void op_full(void)
{
	BEGIN;
	count(FULL);
	for (int i = 0; i < 20; i++)
		op_leaf();
}

OPERATION void op_shed(void)
{
	BEGIN;
	count(SHED);
	for (int i = 0; i < 8; i++)
		op_leaf();
}

OPERATION void op_reply(void)
{
	BEGIN;
	count(REPLY);
	work(100);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

struct request {
	double sent;
	char answered; /* whether its client waits */
	char rest[55];
};

/* Sends at a rate, whatever becomes of it; in mode "one" also one at a time. */
static void client(int to)
{
	const double rate = strcmp(mode, "one") ? 12000 : 6000;
	struct request request = {0};
	double next = now();
	int waiting = 0;
	char answer;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	for (;;) {
		while (next < now()) {
			request.sent = now();
			request.answered = 0;
			send(to, &request, sizeof(request), MSG_DONTWAIT);
			next += 1 / rate;
		}
		if (strcmp(mode, "one")) {
			usleep(150);
			continue;
		}
		if (waiting && recv(to, &answer, 1, MSG_DONTWAIT) != 1) {
			usleep(20);
			continue;
		}
		request.sent = now();
		request.answered = 1;
		waiting = send(to, &request, sizeof(request), MSG_DONTWAIT) > 0;
	}
}

static double usual, lately; /* a request takes */

static int has_time(const struct request *request)
{
	if (!strcmp(mode, "age"))
		return now() - request->sent < 0.003;
	if (!strcmp(mode, "self"))
		return !usual || lately < 1.6 * usual;
	return strcmp(mode, "one") || request->answered;
}

static void serve(const struct request *request)
{
	static int seen;
	const double began = now();

	op_parse();
	if (has_time(request))
		op_full();
	else
		op_shed();
	op_reply();
	lately = lately ? 0.8 * lately + 0.2 * (now() - began) : now() - began;
	if (seen < 2000 && ++seen == 2000)
		usual = lately;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct request waiting[1024];
static unsigned int put, taken;

static void *worker(void *unused)
{
	struct request request;

	for (;;) {
		pthread_mutex_lock(&lock);
		while (put == taken)
			pthread_cond_wait(&changed, &lock);
		request = waiting[taken++ % 1024];
		pthread_mutex_unlock(&lock);
		serve(&request);
	}
	return unused;
}

static void hand_over(const struct request *request)
{
	pthread_mutex_lock(&lock);
	if (put - taken < 1024)
		waiting[put++ % 1024] = *request;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	struct request request = {0};
	pthread_t thread;
	int file, ends[2];

	if (argc != 3)
		return 64;
	mode = argv[1];
	file = open(argv[2], O_RDWR | O_CREAT, 0644);
	if (ftruncate(file, 4096) || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return 1;
	calls = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (!strcmp(mode, "silent"))
		for (;;)
			serve(&request);
	if (!fork())
		client(ends[1]);
	if (!strcmp(mode, "workers"))
		for (int i = 0; i < 2; i++)
			pthread_create(&thread, 0, worker, 0);
	while (read(ends[0], &request, sizeof(request)) == sizeof(request)) {
		if (!strcmp(mode, "workers")) {
			hand_over(&request);
			continue;
		}
		serve(&request);
		if (request.answered)
			send(ends[0], "", 1, MSG_DONTWAIT);
	}
	return 0;
}
