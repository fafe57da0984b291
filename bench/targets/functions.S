/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that do nothing, named after how they begin: what a probe costs depends on the instruction that it sits on. With WORK they
 * count down from it, which takes about as many cycles.
 */
	.text

.macro function name
	.globl	\name
	.type	\name, @function
	.p2align 6
\name:
.endm

.macro work
#ifdef WORK
	mov	$WORK, %eax
1:	dec	%eax
	jnz	1b
#endif
.endm

.macro end name
	ret
	.size	\name, . - \name
.endm

function push
	push	%rbp
	mov	%rsp, %rbp
	work
	pop	%rbp
end push

/* Emulated, but a trap, as against the five bytes below. */
function nop
	nop
	mov	%rdi, %rax
	mov	%rdi, %rax
	work
end nop

#ifndef WITHOUT_NOP5
function nop5
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00 /* nopl 0(%rax, %rax, 1); the assembler would leave out the 0 */
	mov	%rdi, %rax
	work
end nop5
#endif

/* As compilers begin with -fcf-protection: stepped at the first byte, cheap four bytes on. */
function endbr
	endbr64
	push	%rbp
	mov	%rsp, %rbp
	work
	pop	%rbp
end endbr

/* Stepped at the first byte, cheap three bytes on. */
function mov
	mov	%rdi, %rax
	push	%rbx
	work
	pop	%rbx
end mov

/* Stepped, and nothing cheap while the stack pointer is still that of the entry. */
function sub
	sub	$8, %rsp
	work
	add	$8, %rsp
end sub

	.section .note.GNU-stack, "", @progbits
