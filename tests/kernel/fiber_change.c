/* SPDX-License-Identifier: Apache-2.0 */
/* Saves what a call must keep, and where it is; goes on where another one was saved. */
__asm__(".text\n.p2align 4\n.globl change\n.type change, @function\n"
	"change:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size change, .-change\n");
