/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mountns [N]: copies itself to a file system that exists in a mount namespace of its own only, and goes on there with
 * N calls of work(). The path of its program means nothing outside. Needs root; exits with 77 when it may not.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "wait.h"

#define PLACE "/mnt"
#define COPY PLACE "/compmond-target"
#define SKIPPED 77

PROBED long work(long value)
{
	return value + 1;
}

static int copy_self(void)
{
	const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const int to = open(COPY, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	struct stat about;

	if (from < 0 || to < 0 || fstat(from, &about) != 0)
		return -1;
	while (about.st_size > 0) {
		const ssize_t sent = sendfile(to, from, NULL, (size_t)about.st_size);

		if (sent <= 0)
			return -1;
		about.st_size -= sent;
	}
	close(from);
	return close(to);
}

static int enter(char **argv)
{
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", PLACE, "tmpfs", 0, "mode=0755") != 0) {
		fprintf(stderr, "mountns: no mount namespace of its own: %s\n", strerror(errno));
		return SKIPPED;
	}
	if (copy_self() == 0)
		execv(COPY, argv);
	fprintf(stderr, "mountns: cannot go on in " COPY ": %s\n", strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	char path[64] = "";
	long value = 0;

	if (readlink("/proc/self/exe", path, sizeof path - 1) < 0 || strcmp(path, COPY) != 0)
		return enter(argv);
	wait_for_start(&argc, &argv);
	const long count = argument(argc, argv, 1, 100);

	for (long i = 0; i < count; i++)
		value = work(value);
	printf("value %ld\n", value);
	return 0;
}
