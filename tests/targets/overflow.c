/* SPDX-License-Identifier: Apache-2.0 */
/* overflow [CALLS [THREADS]]: each thread calls flood() CALLS times as fast as it can, more than any ring holds. */
#include <pthread.h>

#include "wait.h"

PROBED void flood(void)
{
	NOT_A_TAIL_CALL();
}

static void *run(void *calls)
{
	for (long i = 0; i < (long)calls; i++)
		flood();
	return NULL;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long calls = argument(argc, argv, 1, 400000);
	const long threads = argument(argc, argv, 2, 1);
	pthread_t *ids = calloc((size_t)threads, sizeof *ids);

	for (long i = 0; i < threads; i++) {
		if (pthread_create(&ids[i], NULL, run, (void *)calls) != 0)
			return 1;
	}
	for (long i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	free(ids);
	printf("calls %ld\n", calls * threads);
	return 0;
}
