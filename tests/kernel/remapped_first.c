/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remapped_first moved|unreadable|no_code|no_rights|trapped|shared|paged [N]: does that to the page of work(), then waits, then
 * calls work() and after() N times each. moved: copies it to memory of its own and maps that in its place, as programs do for
 * huge pages; unreadable, no_code, no_rights: patches it and leaves the right to execute only, to read only, or none, until it
 * is called; trapped: puts a breakpoint of its own at it, which its handler answers; shared: calls it where the file is
 * mapped shared; paged: lets every access to it wait for a pager that never answers (in a file of shared memory).
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "wait.h"

#define PAGE 4096
#define PATCHED 1000

__attribute__((section("probed_text"), aligned(PAGE))) PROBED long work(long value)
{
	return value * 3 + 1;
}

__attribute__((section("probed_text"), aligned(PAGE))) PROBED long after(long value)
{
	return value;
}

static void must(int holds)
{
	if (!holds)
		exit(9);
}

static void protect(void *page, int rights)
{
	must(mprotect(page, PAGE, rights) == 0);
}

static void move(void *page)
{
	void *copy = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(copy != MAP_FAILED);
	memcpy(copy, page, PAGE);
	protect(copy, PROT_READ | PROT_EXEC);
	must(mremap(copy, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page) == page);
}

static void patch(void *page, const void *bytes, size_t size, int rights)
{
	protect(page, PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy(page, bytes, size);
	protect(page, rights);
}

/* Does what work() would, but for another result. */
static void on_trap(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	registers[REG_RAX] = PATCHED;
	registers[REG_RIP] = *(greg_t *)registers[REG_RSP];
	registers[REG_RSP] += 8;
}

static void handle_traps(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof action);
	action.sa_sigaction = on_trap;
	action.sa_flags = SA_SIGINFO;
	must(sigaction(SIGTRAP, &action, NULL) == 0);
}

static void *map_shared(const void *page)
{
	unsigned long start = 0, end = 0, base = 0, offset = 0;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	void *out;

	while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &base) == 3 && start <= (uintptr_t)page && (uintptr_t)page < end)
			offset = base + ((uintptr_t)page - start);
	out = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, open("/proc/self/exe", O_RDONLY), (off_t)offset);
	must(out != MAP_FAILED);
	return out;
}

static void let_wait(void *page)
{
	const int pager = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_MINOR_SHMEM};
	struct uffdio_register all = {.range = {(uintptr_t)page, PAGE}, .mode = UFFDIO_REGISTER_MODE_MINOR};

	must(pager >= 0 && ioctl(pager, UFFDIO_API, &api) == 0 && ioctl(pager, UFFDIO_REGISTER, &all) == 0);
	must(madvise(page, PAGE, MADV_DONTNEED) == 0);
}

int main(int argc, char **argv)
{
	static const unsigned char kReturns[] = {0xb8, PATCHED & 0xff, PATCHED >> 8, 0, 0, 0xc3}, kTrap[] = {0xcc};
	const char *what = argc > 1 && strcmp(argv[1], "--wait") == 0 ? argv[2] : argv[1];
	void *page = (void *)(uintptr_t)work;
	long (*volatile called)(long) = work;
	long sum = 0;

	if (strcmp(what, "moved") == 0)
		move(page);
	if (strcmp(what, "unreadable") == 0)
		patch(page, kReturns, sizeof kReturns, PROT_EXEC);
	if (strcmp(what, "no_code") == 0)
		patch(page, kReturns, sizeof kReturns, PROT_READ);
	if (strcmp(what, "no_rights") == 0)
		patch(page, kReturns, sizeof kReturns, PROT_NONE);
	if (strcmp(what, "trapped") == 0) {
		handle_traps();
		patch(page, kTrap, sizeof kTrap, PROT_READ | PROT_EXEC);
	}
	if (strcmp(what, "shared") == 0)
		called = (long (*)(long))(uintptr_t)map_shared(page);
	if (strcmp(what, "paged") == 0)
		let_wait(page);
	wait_for_start(&argc, &argv);
	if (strcmp(what, "paged") == 0)
		return 5;
	if (strcmp(what, "unreadable") == 0 || strncmp(what, "no_", 3) == 0)
		protect(page, PROT_READ | PROT_EXEC);

	const long count = argument(argc, argv, 2, 10);

	for (long i = 0; i < count; i++)
		sum += called(i) + after(i);
	printf("%ld\n", sum);
	return 5;
}
