/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jitted SECONDS [own_tmp]: makes code while it runs and tells its names in /tmp/perf-PID.map, as compilers at run time
 * do: one function at first, a second one later, and then one in the place of the first. "own_tmp": in a mount namespace
 * where /tmp is its own. Prints "name cpu_ns" of each.
 */
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <time.h>

#include "../targets/wait.h"

typedef void spin_code(unsigned long times);
typedef void call_code(void (*callee)(unsigned long), unsigned long argument);

/* push %rbp; mov %rsp,%rbp; 1: dec %rdi; jnz 1b; pop %rbp; ret */
static const unsigned char spin[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0x5d, 0xc3};
/* push %rbp; mov %rsp,%rbp; mov %rdi,%rax; mov %rsi,%rdi; call *%rax; pop %rbp; ret */
static const unsigned char call[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0xff, 0xd0, 0x5d, 0xc3};

enum {
	kPage = 4096,
	kCaller = 0x100, /* where in the page */
	kSecond = 0x200
};
static unsigned char *page;
static spin_code *current;
static char map_path[64];

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Lays down code and tells of it. */
static void *make(int at, const unsigned char *code, size_t size, const char *name)
{
	FILE *map = fopen(map_path, "a");

	mprotect(page, kPage, PROT_READ | PROT_WRITE);
	memcpy(page + at, code, size);
	mprotect(page, kPage, PROT_READ | PROT_EXEC);
	if (!map || fprintf(map, "%lx %zx %s\n", (unsigned long)(page + at), size, name) < 0 || fclose(map) != 0)
		exit(1);
	return page + at;
}

/* Between two functions that were made. */
PROBED void between(unsigned long times)
{
	current(times);
	NOT_A_TAIL_CALL();
}

PROBED void work(call_code *caller)
{
	caller(between, 2000000);
	NOT_A_TAIL_CALL();
}

static void spend(const char *name, call_code *caller, long long ns)
{
	const long long before = now(CLOCK_THREAD_CPUTIME_ID);

	while (now(CLOCK_THREAD_CPUTIME_ID) - before < ns)
		work(caller);
	printf("%s %lld\n", name, now(CLOCK_THREAD_CPUTIME_ID) - before);
}

static int have_own_tmp(void)
{
	return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("tmpfs", "/tmp", "tmpfs", 0, "mode=1777") == 0;
}

int main(int argc, char **argv)
{
	call_code *caller;
	spin_code *first;
	long long ns;

	if (strcmp(argv[argc - 1], "own_tmp") == 0 && !have_own_tmp()) {
		fprintf(stderr, "jitted: no /tmp of its own: %s\n", strerror(errno));
		return 77;
	}
	wait_for_start(&argc, &argv);
	ns = argument(argc, argv, 1, 3) * 1000000000ll;
	snprintf(map_path, sizeof map_path, "/tmp/perf-%d.map", (int)getpid());
	page = mmap(NULL, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	caller = (call_code *)make(kCaller, call, sizeof call, "jit_caller");
	current = first = (spin_code *)make(0, spin, sizeof spin, "jit_first");
	spend("jit_first", caller, ns / 2);
	current = (spin_code *)make(kSecond, spin, sizeof spin, "jit_second (a, b)");
	spend("jit_second (a, b)", caller, ns / 4);
	current = first;
	make(0, spin, sizeof spin, "jit_third");
	spend("jit_third", caller, ns / 4);
	return 0;
}
