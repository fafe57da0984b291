/* SPDX-License-Identifier: Apache-2.0 */
/* main_exits_first [N]: the main thread ends first, by pthread_exit inside a call; another then calls later() N times. */
#include <pthread.h>
#include <sched.h>

#include "wait.h"

static long count;

PROBED long later(long value)
{
	return value + 1;
}

/* The main thread stays as a zombie until the whole process ends. */
static int main_thread_is_gone(void)
{
	char line[512] = "";
	FILE *file = fopen("/proc/self/stat", "r");

	if (file == NULL)
		return 0;
	if (fgets(line, sizeof line, file) == NULL)
		line[0] = '\0';
	fclose(file);
	const char *name_end = strrchr(line, ')');

	return name_end != NULL && strncmp(name_end, ") Z", 3) == 0;
}

static void *run(void *unused)
{
	long value = 0;

	while (!main_thread_is_gone())
		sched_yield();
	for (long i = 0; i < count; i++)
		value = later(value);
	printf("later %ld\n", value);
	return unused;
}

PROBED void main_leaves(void)
{
	pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	pthread_t thread;

	count = argument(argc, argv, 1, 100);
	if (pthread_create(&thread, NULL, run, NULL) != 0)
		return 1;
	main_leaves();
	return 1;
}
