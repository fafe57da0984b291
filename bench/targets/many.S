/* SPDX-License-Identifier: Apache-2.0 */
/* 10,000 functions many_0, many_1, …, and a table of them. */
	.altmacro
.macro function number
	.globl	many_\number
	.type	many_\number, @function
	.p2align 4
many_\number:
	push	%rbx
	mov	%rdi, %rbx
	lea	1(%rbx), %rax
	pop	%rbx
	ret
	.size	many_\number, . - many_\number
.endm
.macro entry number
	.quad	many_\number
.endm

	.text
number = 0
.rept 10000
	function %number
number = number + 1
.endr

	.section .data.rel.ro, "aw"
	.globl	many
many:
number = 0
.rept 10000
	entry %number
number = number + 1
.endr
	.section .note.GNU-stack, "", @progbits
