/* SPDX-License-Identifier: Apache-2.0 */
/* churn [N]: N threads, one after the other in groups of 8, each of which calls work() once and ends. */
#include <pthread.h>

#include "wait.h"

#define GROUP 8

PROBED long work(long value)
{
	return value * 7;
}

static void *run(void *value)
{
	return (void *)work((long)value);
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long count = argument(argc, argv, 1, 1000);
	pthread_t ids[GROUP];
	long sum = 0;

	for (long first = 0; first < count; first += GROUP) {
		const long end = first + GROUP < count ? first + GROUP : count;

		for (long i = first; i < end; i++) {
			if (pthread_create(&ids[i - first], NULL, run, (void *)i) != 0)
				return 1;
		}
		for (long i = first; i < end; i++) {
			void *result;

			pthread_join(ids[i - first], &result);
			sum += (long)result;
		}
	}
	printf("threads %ld sum %ld\n", count, sum);
	return 0;
}
