/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder: makes one record. It is never run here, but copied into targets, and what it needs to know is filled in behind it
 * (recorder.cpp). A trampoline comes to it, where bytes below %rsp are nobody's, by
 *
 *     push %rdx; mov $SITE,%edx; call recorder; pop %rdx
 *
 * It changes no register and no flag, calls nothing, and takes no lock: a signal handler may interrupt it anywhere, and record.
 */
#include "trampolines/recording_layout.h"

#define HASH 0x9e3779b1 /* 2^32 / golden ratio, Knuth, The Art of Computer Programming 3, 6.4 */
#define HASH_SHIFT 16
#define BELOW_SITE 48 /* bytes pushed since: %rdx, the return address, %rax, %rcx, flags, the site */

	.section .rodata
	.globl compmond_recorder, compmond_recorder_facts, compmond_recorder_end
	.p2align 6
compmond_recorder:
	push %rax
s1:	push %rcx
s2:	lahf
	seto %al
	push %rax
s3:	push %rdx

s4:	mov tid_offset(%rip), %rcx
	mov %fs:(%rcx), %eax
	imul $HASH, %eax, %ecx
	shr $HASH_SHIFT, %ecx
	and threads_mask(%rip), %ecx
	shl $RECORDING_THREAD_SHIFT, %rcx
	add threads(%rip), %rcx
	cmp %eax, RECORDING_TID(%rcx)
	jne find

found:	mov RECORDING_BEGUN(%rcx), %rax
	cmp RECORDING_LIMIT(%rcx), %rax
	jae full
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
	lea BELOW_SITE(%rsp), %rdx
	mov %rdx, RECORD_SP(%rax)
	mov (%rsp), %rdx
	mov %rdx, RECORD_SITE(%rax)

done:	pop %rdx
s5:	pop %rax
s6:	add $0x7f, %al /* the overflow flag again */
	sahf
	pop %rcx
s7:	pop %rax
s8:	ret

full:	incq RECORDING_DROPPED(%rcx)
	jmp done

	/*
	 * %eax: the thread's number, %rcx: where it leads. First all that it may have, as others give theirs back; then the first
	 * free one. Where a handler claimed it in between, it is this thread's already.
	 */
find:	push %rsi
s9:	push %rcx
s10:	mov $RECORDING_PROBES, %esi
1:	cmp %eax, RECORDING_TID(%rcx)
	je 4f
	add $RECORDING_THREAD_BYTES, %rcx
	dec %esi
	jnz 1b
	pop %rcx
s11:	push %rcx
s12:	mov $RECORDING_PROBES, %esi
	mov %eax, %edx
2:	xor %eax, %eax
	lock cmpxchg %edx, RECORDING_TID(%rcx)
	je 4f
	cmp %edx, %eax
	je 4f
	add $RECORDING_THREAD_BYTES, %rcx
	dec %esi
	jnz 2b
	mov shared(%rip), %rcx
	lock incq (%rcx)
	pop %rcx
s13:	pop %rsi
s14:	jmp done
4:	pop %rsi /* where it began: no longer needed */
s15:	pop %rsi
s16:	jmp found

	.p2align 3
compmond_recorder_facts: /* RecorderFacts */
tid_offset: .quad 0
threads: .quad 0
threads_mask: .quad 0
ring_mask: .quad 0
shared: .quad 0
compmond_recorder_end:

	/* Where instructions begin, and how many bytes lie above the return address from there on: for who unwinds stacks. */
	.globl compmond_recorder_steps, compmond_recorder_steps_end
	.macro step at, bytes
	.word \at - compmond_recorder, \bytes
	.endm
	.p2align 2
compmond_recorder_steps:
	step compmond_recorder, 0
	step s1, 8
	step s2, 16
	step s3, 24
	step s4, 32
	step s5, 24
	step s6, 16
	step s7, 8
	step s8, 0
	step full, 32
	step s9, 40
	step s10, 48
	step s11, 40
	step s12, 48
	step s13, 40
	step s14, 32
	step 4b, 48
	step s15, 40
	step s16, 32
compmond_recorder_steps_end:
	.section .note.GNU-stack, "", @progbits
