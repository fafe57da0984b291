/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote [N]: N requests from a client to a server, which are two threads of this process.
 * remote N serve SOCKET: the server alone. It serves one client with N requests.
 * remote N call SOCKET: the client alone. It waits for the server.
 * A request carries an id: "request-1" and so on.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "wait.h"

enum {
	ID = 32
};

static int server_end;
static long requests;

static void transfer(int fd, char *bytes, size_t size, int sends)
{
	while (size > 0) {
		ssize_t n = sends ? write(fd, bytes, size) : read(fd, bytes, size);

		if (n <= 0) {
			perror("remote");
			exit(1);
		}
		bytes += n;
		size -= (size_t)n;
	}
}

PROBED long look_up(const char *id)
{
	return strtol(strrchr(id, '-') + 1, NULL, 10);
}

PROBED void serve_request(int fd, const char *id)
{
	long answer = look_up(id);

	transfer(fd, (char *)&answer, sizeof answer, 1);
	NOT_A_TAIL_CALL();
}

PROBED void send_request(int fd, const char *id)
{
	char bytes[ID] = {0};

	strncpy(bytes, id, ID - 1);
	transfer(fd, bytes, ID, 1);
	NOT_A_TAIL_CALL();
}

PROBED long request(int fd, const char *id)
{
	long answer;

	send_request(fd, id);
	transfer(fd, (char *)&answer, sizeof answer, 0);
	return answer;
}

static void *serve(void *unused)
{
	char id[ID];

	for (long i = 0; i < requests; ++i) {
		transfer(server_end, id, ID, 0);
		serve_request(server_end, id);
	}
	return unused;
}

static void call(int fd)
{
	char id[ID];
	long sum = 0;

	for (long i = 1; i <= requests; ++i) {
		snprintf(id, sizeof id, "request-%ld", i);
		sum += request(fd, id);
	}
	printf("answers %ld sum %ld\n", requests, sum);
}

static struct sockaddr_un address_of(const char *path)
{
	struct sockaddr_un out = {.sun_family = AF_UNIX};

	strncpy(out.sun_path, path, sizeof out.sun_path - 1);
	return out;
}

static int accept_at(const char *path)
{
	struct sockaddr_un at = address_of(path);
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);

	if (bind(listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(listener, 1) < 0) {
		perror(path);
		exit(1);
	}
	return accept(listener, NULL, NULL);
}

static int connect_to(const char *path)
{
	struct sockaddr_un at = address_of(path);
	struct timespec pause = {0, 1000000};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	while (connect(fd, (struct sockaddr *)&at, sizeof at) < 0) {
		if (errno != ENOENT && errno != ECONNREFUSED) {
			perror(path);
			exit(1);
		}
		nanosleep(&pause, NULL);
	}
	return fd;
}

int main(int argc, char **argv)
{
	pthread_t server;
	int ends[2];

	wait_for_start(&argc, &argv);
	requests = argument(argc, argv, 1, 10);
	if (argc > 3 && strcmp(argv[2], "serve") == 0) {
		server_end = accept_at(argv[3]);
		serve(NULL);
		printf("served %ld\n", requests);
	} else if (argc > 3) {
		call(connect_to(argv[3]));
	} else {
		socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
		server_end = ends[0];
		pthread_create(&server, NULL, serve, NULL);
		call(ends[1]);
		pthread_join(server, NULL);
	}
	return 0;
}
