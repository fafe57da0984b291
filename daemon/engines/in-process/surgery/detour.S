/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The detour of a thread that makes system calls for compmond: copied into its program, and never run here. The thread comes to it with
 * %rsp at its plan and its signals blocked, makes the calls, says so, and waits to be put back where it was. Where nobody does for about a
 * second (whoever sent it may have died), it goes on there by itself, with all that it had.
 */
#include "surgery/detour_layout.h"

#define PUSHED DETOUR_PUSHED
#define LONG_ENOUGH 0x2000000
#define SYS_RT_SIGPROCMASK 14
#define SIG_SETMASK 2

	.section .rodata
	.globl compmond_detour, compmond_detour_back, compmond_detour_end
	.p2align 4
compmond_detour:
	pushfq
	push %rax
	push %rbx
	push %rcx
	push %rdx
	push %rsi
	push %rdi
	push %rbp
	push %r8
	push %r9
	push %r10
	push %r11
	push %r12
	push %r13
	push %r14
	push %r15
	cld
	lea PUSHED(%rsp), %rbx
	mov DETOUR_COUNT(%rbx), %rbp
	lea DETOUR_CALLS(%rbx), %r15
1:	test %rbp, %rbp
	jz 2f
	mov (%r15), %rax
	mov 8(%r15), %rdi
	mov 16(%r15), %rsi
	mov 24(%r15), %rdx
	mov 32(%r15), %r10
	mov 40(%r15), %r8
	mov 48(%r15), %r9
	syscall
	mov %rax, DETOUR_CALL_RESULT(%r15)
	add $DETOUR_CALL_BYTES, %r15
	dec %rbp
	jmp 1b
2:	movq $1, DETOUR_DONE(%rbx)
	mov $LONG_ENOUGH, %ebp
3:	pause
	dec %ebp
	jnz 3b
	mov $SYS_RT_SIGPROCMASK, %eax /* who sent it would have given it its signals back */
	mov $SIG_SETMASK, %edi
	lea DETOUR_MASK(%rbx), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %r11
	pop %r10
	pop %r9
	pop %r8
	pop %rbp
	pop %rdi
	pop %rsi
	pop %rdx
	pop %rcx
	pop %rbx
	pop %rax
	popfq
	lea DETOUR_BELOW(%rsp), %rsp
	jmp *compmond_detour_back(%rip)
	.p2align 3
compmond_detour_back: .quad 0
compmond_detour_end:
	.section .note.GNU-stack, "", @progbits
