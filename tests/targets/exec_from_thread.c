/* SPDX-License-Identifier: Apache-2.0 */
/* exec_from_thread: a second thread executes the program anew inside a call, while the main thread is inside another. */
#include <pthread.h>
#include <semaphore.h>

#include "wait.h"

static sem_t main_is_inside;

PROBED int exec_in_thread(char *name)
{
	char *const arguments[] = {name, "second", NULL};

	execv("/proc/self/exe", arguments);
	NOT_A_TAIL_CALL();
	return 1;
}

static void *run(void *name)
{
	sem_wait(&main_is_inside);
	exec_in_thread(name);
	exit(1);
}

PROBED void main_waits(void)
{
	sem_post(&main_is_inside);
	for (;;)
		pause();
}

PROBED int after_exec(int value)
{
	return value + 1;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	pthread_t thread;
	int value = 0;

	if (argc < 2 || strcmp(argv[1], "second") != 0) {
		sem_init(&main_is_inside, 0, 0);
		if (pthread_create(&thread, NULL, run, argv[0]) != 0)
			return 1;
		main_waits();
	}
	for (int i = 0; i < 5; i++)
		value = after_exec(value);
	printf("after exec %d\n", value);
	return 0;
}
