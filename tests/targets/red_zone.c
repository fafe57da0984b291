// SPDX-License-Identifier: Apache-2.0
/*
 * A leaf that keeps values below its stack pointer, in its red zone, and has a 5-byte nop behind that: the cheapest place for
 * a probe, but one that the kernel may turn into a call, which writes just there.
 */

#include "wait.h"

long keeps(long value);
__asm__(".text\n"
	".p2align 4\n"
	".globl keeps\n"
	".type keeps, @function\n"
	"keeps:\n"
	"	endbr64\n"
	"	mov %rdi, -8(%rsp)\n"
	"	mov %rdi, -16(%rsp)\n"
	"	mov %rdi, -24(%rsp)\n"
	"	mov %rdi, -32(%rsp)\n"
	"	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"	mov -8(%rsp), %rax\n"
	"	add -16(%rsp), %rax\n"
	"	add -24(%rsp), %rax\n"
	"	add -32(%rsp), %rax\n"
	"	ret\n"
	".size keeps, .-keeps\n");

int main(int argc, char **argv)
{
	long rounds, sum = 0;

	wait_for_start(&argc, &argv);
	rounds = argument(argc, argv, 1, 1000);
	for (long i = 0; i < rounds; ++i)
		sum += keeps(i);
	printf("sum %ld\n", sum);
	return 0;
}
