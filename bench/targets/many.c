/* SPDX-License-Identifier: Apache-2.0 */
/* many [--wait] THREADS: that many threads call the functions of many.S, each some every millisecond, until it is killed. */
#include <pthread.h>
#include <time.h>

#include "../../tests/targets/wait.h"

#define MANY 10000
#define AT_ONCE 50

extern long (*const many[MANY])(long);

static void *run(void *first)
{
	const struct timespec pause = {0, 1000000};
	long at = (long)first, sum = 0;

	for (;;) {
		for (int i = 0; i < AT_ONCE; i++, at = (at + 1) % MANY)
			sum += many[at](sum);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long threads = argument(argc, argv, 1, 1);
	pthread_t id;

	for (long i = 1; i < threads; i++)
		if (pthread_create(&id, NULL, run, (void *)(i * 97 % MANY)) != 0)
			return 1;
	puts("at work");
	fflush(stdout);
	run(NULL);
	return 0;
}
