/* SPDX-License-Identifier: Apache-2.0 */
/*
 * restartable [CALLS [THREADS]]: each thread counts twice CALLS times for the CPU that it is on, in restartable sequences (rseq): by
 * three ordinary instructions, since the kernel has a sequence that it interrupts begun anew. One is described where librseq and
 * tcmalloc do it, the other in plain data.
 */
#include <pthread.h>
#include <sys/rseq.h>

#include "wait.h"

#define CPUS 8192

static struct {
	volatile long count;
	char apart[56];
} per_cpu[CPUS];

void count(struct rseq *own, void *cpus);
void count_too(struct rseq *own, void *cpus);

/* 1 begins anew, which is no call; 2 to 4 is the sequence, 3 describes it, 5 is where the kernel has it broken off. */
#define COUNTER(name, section, more)                                       \
	__asm__(".text\n.p2align 4\n.globl " name "\n"                     \
		".type " name ", @function\n" name ":\n.cfi_startproc\n"   \
		"nopl 0(%rax, %rax)\n nopl 0(%rax, %rax)\n"               \
		"1: lea 3f(%rip), %rax\n mov %rax, 8(%rdi)\n"              \
		"2: mov 4(%rdi), %eax\n shl $6, %rax\n add %rsi, %rax\n"   \
		"mov (%rax), %rdx\n inc %rdx\n mov %rdx, (%rax)\n"         \
		"4: ret\n.cfi_endproc\n.size " name ", . - " name "\n"     \
		".pushsection __rseq_failure, \"ax\"\n"                    \
		".byte 0x0f, 0xb9, 0x3d\n.long 0x53053053\n5: jmp 1b\n"    \
		".popsection\n.pushsection " section ", \"aw\"\n"          \
		".balign 32\n3: .long 0, 0\n.quad 2b, 4b - 2b, 5b\n"       \
		".popsection\n" more)

COUNTER("count", "__rseq_cs", ".pushsection __rseq_cs_ptr_array, \"aw\"\n.quad 3b\n.popsection\n");
COUNTER("count_too", ".data", "");

PROBED long beside(long value)
{
	return value * 3 + 1;
}

static void *run(void *calls)
{
	struct rseq *own = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);

	for (long i = 0; i < (long)calls; i++) {
		count(own, per_cpu);
		count_too(own, per_cpu);
		beside(i);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long calls = argument(argc, argv, 1, 5000);
	const long threads = argument(argc, argv, 2, 4);
	pthread_t *ids = calloc((size_t)threads, sizeof *ids);
	long sum = 0;

	for (long i = 0; i < threads; i++) {
		if (pthread_create(&ids[i], NULL, run, (void *)calls) != 0)
			return 1;
	}
	for (long i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	free(ids);
	for (int i = 0; i < CPUS; i++)
		sum += per_cpu[i].count;
	printf("sum %ld\n", sum);
	return 0;
}
