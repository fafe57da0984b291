/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sites TURNS COUNT...: one function per kind of place that probes hang at, and a twin of each that nobody observes. In
 * each of TURNS turns it calls the i-th function COUNT(i) times (absent: 0), then its twin as often, and at the end
 * prints the CPU time that the functions took and that the twins took, ns: both ran at the same speed of the machine.
 *
 * A function begins and ends as its name says: <entry>_<exit>. "stays" has a conditional jump out that is never taken
 * before the ret, "taken" one that always is. nest_16() is sixteen calls of nest() inside each other, chain_3() jumps to
 * chain_2() and that to chain_1().
 */
#include <stdint.h>
#include <time.h>

#include "wait.h"

/* Work that takes a microsecond or two: about what probes cost. */
#define WORK "	mov $4000, %ecx\n1:	dec %ecx\n	jnz 1b\n"
#define FUNCTION(name, entry, leave)                                                                                   \
	void name(void);                                                                                               \
	__asm__(".text\n.p2align 6\n.globl " #name "\n.type " #name ", @function\n" #name ":\n" entry WORK leave       \
		".size " #name ", .-" #name "\n");
#define NOP5 "	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
#define NOP "	nop\n"
#define PUSH "	push %rbx\n"
#define POP "	pop %rbx\n"
#define STEPPED "	cltq\n	cmp $0, %eax\n"
#define RET "	ret\n"

#define FUNCTIONS(twin)                                                                                                \
	FUNCTION(end##twin, NOP, RET)                                                                                  \
	FUNCTION(nop5_ret##twin, NOP5, RET)                                                                            \
	FUNCTION(nop_ret##twin, NOP, RET)                                                                              \
	FUNCTION(push_ret##twin, PUSH, POP RET)                                                                        \
	FUNCTION(stepped_ret##twin, STEPPED, RET)                                                                      \
	FUNCTION(push_jump##twin, PUSH, POP "	jmp end" #twin "\n")                                                   \
	FUNCTION(push_indirect##twin, PUSH, POP "	lea end" #twin "(%rip), %rax\n	jmp *%rax\n")                  \
	FUNCTION(push_taken##twin, PUSH, POP "	test %ecx, %ecx\n	jz end" #twin "\n	ret\n")                \
	FUNCTION(push_stays##twin, PUSH, POP "	test %ecx, %ecx\n	jnz end" #twin "\n	ret\n")                \
	FUNCTION(chain_1##twin, PUSH, POP RET)                                                                         \
	FUNCTION(chain_2##twin, PUSH, POP "	jmp chain_1" #twin "\n")                                               \
	FUNCTION(chain_3##twin, PUSH, POP "	jmp chain_2" #twin "\n")                                               \
	PROBED void nest##twin(long depth)                                                                             \
	{                                                                                                              \
		end##twin();                                                                                           \
		if (depth > 1)                                                                                         \
			nest##twin(depth - 1);                                                                         \
		NOT_A_TAIL_CALL();                                                                                     \
	}                                                                                                              \
	static void nest_1##twin(void)                                                                                 \
	{                                                                                                              \
		nest##twin(1);                                                                                         \
	}                                                                                                              \
	static void nest_16##twin(void)                                                                                \
	{                                                                                                              \
		nest##twin(16);                                                                                        \
	}                                                                                                              \
	static void (*const functions##twin[])(void) = {                                                               \
		nop5_ret##twin,	  nop_ret##twin,    push_ret##twin, stepped_ret##twin, push_jump##twin, push_indirect##twin, \
		push_taken##twin, push_stays##twin, chain_3##twin,  nest_1##twin,      nest_16##twin                   \
	};
FUNCTIONS()
FUNCTIONS(_twin)
#define COUNT ((int)(sizeof functions / sizeof *functions))

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

/* What so many calls took, ns. */
static int64_t calls_ns(void (*function)(void), long count)
{
	const int64_t begin = cpu_ns();

	for (; count > 0; count--)
		function();
	return cpu_ns() - begin;
}

int main(int argc, char **argv)
{
	int64_t observed = 0, twins = 0;

	wait_for_start(&argc, &argv);
	for (long turn = argument(argc, argv, 1, 1); turn > 0; turn--) {
		for (int i = 0; i < COUNT; i++) {
			const long count = argument(argc, argv, i + 2, 0);

			if (count == 0)
				continue;
			observed += calls_ns(functions[i], count);
			twins += calls_ns(functions_twin[i], count);
		}
	}
	printf("%ld %ld\n", (long)observed, (long)twins);
	return 0;
}
