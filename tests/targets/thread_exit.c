/* SPDX-License-Identifier: Apache-2.0 */
/* thread_exit [N]: N threads end by pthread_exit inside two nested calls. */
#include <pthread.h>

#include "wait.h"

static long left;

PROBED void inner(long value)
{
	left += value;
	pthread_exit(NULL);
}

PROBED void leaver(long value)
{
	inner(value + 1);
	NOT_A_TAIL_CALL();
}

static void *run(void *value)
{
	leaver((long)value);
	return NULL;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long count = argument(argc, argv, 1, 10);

	for (long i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run, (void *)i) != 0)
			return 1;
		pthread_join(thread, NULL);
	}
	printf("left %ld\n", left);
	return 0;
}
