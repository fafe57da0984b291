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
	push %rcx
	lahf
	seto %al
	push %rax
	push %rdx

	mov tid_offset(%rip), %rcx
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
	pop %rax
	add $0x7f, %al /* the overflow flag again */
	sahf
	pop %rcx
	pop %rax
	ret

full:	incq RECORDING_DROPPED(%rcx)
	jmp done

	/*
	 * %eax: the thread's number, %rcx: where it leads. First all that it may have, as others give theirs back; then the first
	 * free one. Where a handler claimed it in between, it is this thread's already.
	 */
find:	push %rsi
	push %rcx
	mov $RECORDING_PROBES, %esi
1:	cmp %eax, RECORDING_TID(%rcx)
	je 4f
	add $RECORDING_THREAD_BYTES, %rcx
	dec %esi
	jnz 1b
	pop %rcx
	push %rcx
	mov $RECORDING_PROBES, %esi
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
	pop %rsi
	jmp done
4:	pop %rsi /* where it began: no longer needed */
	pop %rsi
	jmp found

	.p2align 3
compmond_recorder_facts: /* RecorderFacts */
tid_offset: .quad 0
threads: .quad 0
threads_mask: .quad 0
ring_mask: .quad 0
shared: .quad 0
compmond_recorder_end:
	.section .note.GNU-stack, "", @progbits
