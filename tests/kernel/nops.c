/* SPDX-License-Identifier: Apache-2.0 */
/* nops [CALLS]: calls functions that begin with a 5-byte nop, as code that is made to be patched does: one has a place for a probe
 * behind it, one has none. */
#include "../targets/wait.h"

long pushes(long value);
long bare(long value);
__asm__(".text\n"
	".globl pushes\n"
	".type pushes, @function\n"
	"pushes:\n"
	"	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"	push %rbx\n"
	"	lea 1(%rdi), %rax\n"
	"	pop %rbx\n"
	"	ret\n"
	".size pushes, .-pushes\n"
	".globl bare\n"
	".type bare, @function\n"
	"bare:\n"
	"	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"	lea 2(%rdi), %rax\n"
	"	ret\n"
	".size bare, .-bare\n");

int main(int argc, char **argv)
{
	long sum = 0;

	wait_for_start(&argc, &argv);
	for (long i = 0, calls = argument(argc, argv, 1, 100); i < calls; i++)
		sum += pushes(i) + bare(i);
	printf("sum %ld\n", sum);
	return 0;
}
