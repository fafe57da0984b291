/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that do nothing, one per (first instruction, exit mode): probes are measured on them.
 * Each has one way out, the ret behind its label _exit.
 */
#define FUNCTION(name, body)                                                                       \
	.globl name; .globl name##_exit; .type name, @function; .p2align 6;                        \
	name: body; name##_exit: ret; .size name, . - name

#define SITE(name, body)                                                                           \
	FUNCTION(compmond_site_##name##_return_probe, body);                                       \
	FUNCTION(compmond_site_##name##_ret_sites, body);                                          \
	FUNCTION(compmond_site_##name##_entry_only, body)

	.text
	SITE(nop5, .byte 0x0f; .byte 0x1f; .byte 0x44; .byte 0x00; .byte 0x00)
	SITE(nop, .byte 0x90)
	SITE(push, push %rbx; pop %rbx)
	SITE(jump, .byte 0xeb; .byte 0x00)
	SITE(stepped, cltq)

	/* Left by a jump, behind whose label is what it jumps to. */
	.globl compmond_site_by_jump; .globl compmond_site_by_jump_exit
	.type compmond_site_by_jump, @function; .p2align 6
compmond_site_by_jump:
	push %rbx
	pop %rbx
compmond_site_by_jump_exit:
	jmp 1f
	.size compmond_site_by_jump, . - compmond_site_by_jump
	.p2align 6
1:	ret

	/* Left by its ret; the conditional jump before it, to what is behind the other one, never is taken. */
	.globl compmond_site_stays; .globl compmond_site_stays_at; .globl compmond_site_stays_exit
	.type compmond_site_stays, @function; .p2align 6
compmond_site_stays:
	push %rbx
	pop %rbx
	test %rsp, %rsp
compmond_site_stays_at:
	jz 1b
compmond_site_stays_exit:
	ret
	.size compmond_site_stays, . - compmond_site_stays

	/* Left by a jump to one that has a return probe, too: both end in one trap. */
	.globl compmond_site_chained; .type compmond_site_chained, @function; .p2align 6
compmond_site_chained:
	push %rbx
	pop %rbx
	jmp compmond_site_push_return_probe
	.size compmond_site_chained, . - compmond_site_chained

	.section .note.GNU-stack, "", @progbits
