/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder: makes one record. It is never run here, but copied into targets, and what it needs to know is filled in behind it
 * (recorder.cpp). A trampoline comes to it, where bytes below %rsp are nobody's, by
 *
 *     push %rdx; mov $SITE,%edx; call recorder; pop %rdx
 *
 * or, where it is to tell of the value of a register (of an argument) in place of %rsp, by
 *
 *     push %rdx; push %REGISTER; mov $SITE,%edx; call recorder_of_value; pop %rdx; pop %rdx
 *
 * It changes no register and no flag, calls nothing, and takes no lock: a signal handler may interrupt it anywhere, and record.
 */
#include "trampolines/recording_layout.h"

#define HASH 0x9e3779b1 /* 2^32 / golden ratio, Knuth, The Art of Computer Programming 3, 6.4 */
#define HASH_SHIFT 16
#define BELOW_SITE 48 /* bytes pushed since: %rdx, the return address, %rax, %rcx, flags, the site */
#define BELOW_VALUE 40 /* likewise without %rdx */

	.section .rodata
	.globl compmond_recorder, compmond_recorder_of_value, compmond_recorder_facts, compmond_recorder_end

	/* For who unwinds stacks: where instructions begin, and how many bytes lie above the return address from there on. */
	.globl compmond_recorder_steps, compmond_recorder_steps_end
	.subsection 1
	.p2align 2
compmond_recorder_steps:
	.previous
	.macro above bytes
at\@:	.subsection 1
	.word at\@ - compmond_recorder, \bytes
	.previous
	.endm

	/* \tell: puts what the record's second word is into %rdx. */
	.macro recorder tell:vararg
	above 0
	push %rax
	above 8
	push %rcx
	above 16
	lahf
	seto %al
	push %rax
	above 24
	push %rdx
	above 32

	mov tid_offset(%rip), %rcx
	mov %fs:(%rcx), %eax
	imul $HASH, %eax, %ecx
	shr $HASH_SHIFT, %ecx
	and threads_mask(%rip), %ecx
	shl $RECORDING_THREAD_SHIFT, %rcx
	add threads(%rip), %rcx
	cmp %eax, RECORDING_TID(%rcx)
	jne find\@

found\@: mov RECORDING_BEGUN(%rcx), %rax
	cmp RECORDING_LIMIT(%rcx), %rax
	jae full\@
	rdtsc
	shl $32, %rdx
	or %rax, %rdx
	mov $1, %eax
	xadd %rax, RECORDING_BEGUN(%rcx) /* one instruction: a handler's records come before or after */
	and ring_mask(%rip), %rax
	lea (%rax, %rax, 2), %rax
	mov RECORDING_RING(%rcx), %rcx
	lea (%rcx, %rax, 8), %rax
	mov %rdx, (%rax)
	\tell
	mov %rdx, RECORD_SP(%rax)
	mov (%rsp), %rdx
	mov %rdx, RECORD_SITE(%rax)

done\@:	pop %rdx
	above 24
	pop %rax
	above 16
	add $0x7f, %al /* the overflow flag again */
	sahf
	pop %rcx
	above 8
	pop %rax
	above 0
	ret

	above 32
full\@:	incq RECORDING_DROPPED(%rcx)
	jmp done\@

	/*
	 * %eax: the thread's number, %rcx: where it leads. First all that it may have, as others give theirs back; then the first
	 * free one. Where a handler claimed it in between, it is this thread's already.
	 */
find\@:	push %rsi
	above 40
	push %rcx
	above 48
	mov $RECORDING_PROBES, %esi
1:	cmp %eax, RECORDING_TID(%rcx)
	je 4f
	add $RECORDING_THREAD_BYTES, %rcx
	dec %esi
	jnz 1b
	pop %rcx
	above 40
	push %rcx
	above 48
	mov $RECORDING_PROBES, %esi
	mov %eax, %edx
2:	xor %eax, %eax
	lock cmpxchg %edx, RECORDING_TID(%rcx)
	je 3f
	cmp %edx, %eax
	je 4f
	add $RECORDING_THREAD_BYTES, %rcx
	dec %esi
	jnz 2b
	mov shared(%rip), %rcx
	lock incq (%rcx)
	pop %rcx
	above 40
	pop %rsi
	above 32
	jmp done\@
	above 48
3:	mov shared(%rip), %rdx
	lock incq RECORDING_CLAIMS(%rdx)
4:	pop %rsi /* where it began: no longer needed */
	above 40
	pop %rsi
	above 32
	jmp found\@
	.endm

	.p2align 6
compmond_recorder:
	recorder lea BELOW_SITE(%rsp), %rdx

	.p2align 6, 0xcc
compmond_recorder_of_value:
	recorder mov BELOW_VALUE(%rsp), %rdx

	.p2align 3
compmond_recorder_facts: /* RecorderFacts */
tid_offset: .quad 0
threads: .quad 0
threads_mask: .quad 0
ring_mask: .quad 0
shared: .quad 0
compmond_recorder_end:
	.subsection 1
compmond_recorder_steps_end:
	.section .note.GNU-stack, "", @progbits
