/* SPDX-License-Identifier: Apache-2.0 */
/* counted [CALLS [THREADS]]: calls work() exactly CALLS times in all, shared out among THREADS threads. */
#include <pthread.h>

#include "wait.h"

PROBED long work(long value)
{
	return value * 3 + 1;
}

static void *run(void *calls)
{
	long sum = 0;

	for (long i = 0; i < (long)calls; i++)
		sum += work(i);
	return (void *)sum;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long calls = argument(argc, argv, 1, 1000);
	const long threads = argument(argc, argv, 2, 1);
	pthread_t *ids = calloc((size_t)threads, sizeof *ids);
	long sum = 0;

	for (long i = 0; i < threads; i++) {
		const long share = calls / threads + (i < calls % threads);

		if (pthread_create(&ids[i], NULL, run, (void *)share) != 0)
			return 1;
	}
	for (long i = 0; i < threads; i++) {
		void *result;

		pthread_join(ids[i], &result);
		sum += (long)result;
	}
	free(ids);
	printf("calls %ld sum %ld\n", calls, sum);
	return 0;
}
