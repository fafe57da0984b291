/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fooling MODE: a server that works differently while it is slowed, to fool whoever observes it in slices, and its client. Ended by
 * SIGTERM it prints how often it called op_parse, op_full, op_shed, op_leaf and op_reply.
 *   age      sheds requests that are older than 3 ms
 *   self     sheds while its own last requests took longer than usual
 *   one      one connection for two clients, of which only one waits for answers
 *   workers  reads in one thread and works in others
 *   silent   works without a call of the system
 */
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

#include "../targets/wait.h"

enum { PARSE, FULL, SHED, LEAF, REPLY, OPERATIONS };
static unsigned long calls[OPERATIONS];
static const char *mode;
static volatile unsigned long sink;
static volatile sig_atomic_t over;

/* So that each begins with a push, where a probe costs what it does elsewhere. */
#define BEGIN() __asm__ volatile("" ::: "rbx")

static int is(const char *name)
{
	return strcmp(mode, name) == 0;
}

static inline __attribute__((always_inline)) void work(int steps)
{
	const long all = scaled(steps);

	for (long i = 0; i < all; i++)
		sink = sink * 2862933555777941757ul + 3037000493ul;
}

static void count(int operation)
{
	__atomic_fetch_add(&calls[operation], 1, __ATOMIC_RELAXED);
}

PROBED void op_leaf(void)
{
	BEGIN();
	count(LEAF);
	work(200);
}

PROBED void op_parse(void)
{
	BEGIN();
	count(PARSE);
	work(500);
}

PROBED void op_full(void)
{
	BEGIN();
	count(FULL);
	for (int i = 0; i < 20; i++)
		op_leaf();
	NOT_A_TAIL_CALL();
}

PROBED void op_shed(void)
{
	BEGIN();
	count(SHED);
	for (int i = 0; i < 8; i++)
		op_leaf();
	NOT_A_TAIL_CALL();
}

PROBED void op_reply(void)
{
	BEGIN();
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

static double usual, lately; /* a request takes */

static int has_time(const struct request *request)
{
	if (is("age"))
		return now() - request->sent < 0.003;
	if (is("self"))
		return !usual || lately < 1.6 * usual;
	return !is("one") || request->answered;
}

static void serve(const struct request *request)
{
	const double began = now();

	op_parse();
	if (has_time(request))
		op_full();
	else
		op_shed();
	op_reply();
	lately = lately ? 0.8 * lately + 0.2 * (now() - began) : now() - began;
}

/* Of requests that nobody observes. */
static void learn_what_is_usual(void)
{
	const struct request request = {.sent = now() + 3600, .answered = 1};
	double least = 1;

	for (int i = 0; i < 2000; i++) {
		const double began = now();

		serve(&request);
		least = now() - began < least ? now() - began : least;
	}
	usual = least;
	memset(calls, 0, sizeof calls);
}

/* Sends at a rate that takes a part of the server's time, whatever becomes of it; in mode "one" also one at a time. */
static void client(int to)
{
	const double apart = usual / (is("one") ? 0.3 : 0.6);
	struct request request = {0};
	double next = now();
	int waiting = 0;
	char answer;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	for (;;) {
		while (next < now()) {
			request.sent = now();
			request.answered = 0;
			send(to, &request, sizeof request, MSG_DONTWAIT);
			next += apart;
		}
		if (!is("one")) {
			usleep(150);
			continue;
		}
		if (waiting && recv(to, &answer, 1, MSG_DONTWAIT) != 1) {
			usleep(20);
			continue;
		}
		request.sent = now();
		request.answered = 1;
		waiting = send(to, &request, sizeof request, MSG_DONTWAIT) > 0;
	}
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

static void take_requests(int from)
{
	struct request request;
	pthread_t thread;

	if (is("workers"))
		for (int i = 0; i < 2; i++)
			pthread_create(&thread, 0, worker, 0);
	while (!over && read(from, &request, sizeof request) == sizeof request) {
		if (is("workers")) {
			hand_over(&request);
			continue;
		}
		serve(&request);
		if (request.answered)
			send(from, "", 1, MSG_DONTWAIT);
	}
}

static void end(int number)
{
	(void)number;
	over = 1;
}

int main(int argc, char **argv)
{
	const struct request request = {0};
	const struct sigaction action = {.sa_handler = end};
	int ends[2];

	mode = argc > 1 ? argv[argc - 1] : "";
	learn_what_is_usual();
	wait_for_start(&argc, &argv);
	if (argc != 2 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return 64;
	if (!is("silent") && !fork())
		client(ends[1]);
	sigaction(SIGTERM, &action, 0);
	if (!is("silent"))
		take_requests(ends[0]);
	while (!over)
		serve(&request);
	for (int i = 0; i < OPERATIONS; i++)
		printf("%lu ", calls[i]);
	puts("");
	return 0;
}
