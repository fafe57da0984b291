// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/* Which address a function that is being entered will return to, while only the kernel knows it. */
#include "pointer_calls.h"

#define CALL 0xe8
#define CALL_BYTES 5
#define JUMP_BY_SLOT 0x25ff /* jmp *slot(%rip) */
#define ENDBR64 0xfa1e0ff3u
#define BND 0xf2
#define ENTRY_BYTES 64	/* a probe of an entry stands that close to it */
#define LOWEST_CODE 4096
#define KERNEL_WORDS 64 /* that are looked through: registers and a few functions' frames */
#define PROBE_PAGE 0x7fffffffe000ull
/* In the code there that a probed return goes to: behind its system call, where three words lie on
 * the stack, the last of them in the return address's slot (unwind/walk/probe_code.cpp). */
#define RETURN_CALL 13
#define RETURN_SLOT 16

/* What an entry of the linkage table goes to, with or without its landing pad; 0: it is none. */
static __always_inline __u64 linked_from(__u64 entry)
{
	__u64 to = 0;
	__u32 pad = 0;
	__u16 jump = 0;
	__u8 bnd = 0;
	__s32 far = 0;

	if (!bpf_probe_read_user(&pad, sizeof(pad), (void *)entry) && pad == ENDBR64)
		entry += sizeof(pad);
	if (!bpf_probe_read_user(&bnd, sizeof(bnd), (void *)entry) && bnd == BND)
		entry += sizeof(bnd);
	if (bpf_probe_read_user(&jump, sizeof(jump), (void *)entry) || jump != JUMP_BY_SLOT)
		return 0;
	entry += sizeof(jump);
	if (bpf_probe_read_user(&far, sizeof(far), (void *)entry) ||
	    bpf_probe_read_user(&to, sizeof(to), (void *)(entry + sizeof(far) + far)))
		return 0;
	return to;
}

/* Whether what begins at `called`, or what that goes on to, is what is entered. */
static __always_inline bool enters(__u64 called, __u64 entered)
{
	return called &&
	       (entered - called <= ENTRY_BYTES || entered - linked_from(called) <= ENTRY_BYTES);
}

/* Whether a call in front of `address` is one of the function that is entered. */
__noinline int is_caller(__u64 address, const struct cm_sample *sample)
{
	__u64 entered;
	__u8 call = 0;
	__s32 far = 0;
	__u32 length;

	if (!sample)
		return 0;
	entered = sample->registers[CM_REGISTERS - 1];
	if (!bpf_probe_read_user(&call, sizeof(call), (void *)(address - CALL_BYTES)) &&
	    call == CALL &&
	    !bpf_probe_read_user(&far, sizeof(far), (void *)(address - sizeof(far))) &&
	    enters(address + far, entered))
		return 1;
	for (length = 2; length <= LONGEST_POINTER_CALL; length++)
		if (enters(pointer_called(address, length, sample), entered))
			return 1;
	return 0;
}

/* Whether there is any call in front of `address`. */
__noinline int follows_call(__u64 address)
{
	__u8 code[CODE_BYTES];
	__u32 length;

	if (bpf_probe_read_user(code, sizeof(code), (void *)(address - sizeof(code))))
		return 0;
	if (code[CODE_BYTES - CALL_BYTES] == CALL)
		return 1;
	for (length = 2; length <= LONGEST_POINTER_CALL; length++)
		if (is_pointer_call(code, length))
			return 1;
	return 0;
}

/*
 * For a moment a return address is taken, and not in the list yet: it is in the kernel's hands,
 * which the timer interrupted with this stack, right below which its registers lie. Of a function
 * that was jumped to, or called by a pointer that is gone, the call goes elsewhere: then it is the
 * first that is behind any call. `sample` has its registers of user mode. 0: not found. (Not static,
 * so that each is verified once, by itself.)
 */
__noinline __u64 find_taken(__u64 kernel_sp, const struct cm_sample *sample)
{
	__u64 word = 0, likely = 0, at = kernel_sp - sizeof(struct pt_regs) - sizeof(word);
	__u32 i;

	if (!sample || bpf_probe_read_user(&word, sizeof(word), (void *)sample->registers[7]) ||
	    word != PROBE_PAGE)
		return 0;
	for (i = 0; i < KERNEL_WORDS; i++, at += sizeof(word)) {
		if (bpf_probe_read_kernel(&word, sizeof(word), (void *)at) || word <= LOWEST_CODE ||
		    word >= PROBE_PAGE)
			continue;
		if (is_caller(word, sample))
			return word;
		if (!likely && word != sample->registers[CM_REGISTERS - 1] && follows_call(word))
			likely = word;
	}
	return likely;
}

/*
 * For a moment a return address is not in the list any more, and not on the stack yet: the kernel
 * is about to copy it there, behind two registers that it has in its hands as well. As above.
 */
__noinline __u64 find_given_back(__u64 kernel_sp, const struct cm_sample *sample)
{
	__u64 words[3], at = kernel_sp - sizeof(struct pt_regs);
	__u32 i;

	if (!sample)
		return 0;
	for (i = 0; i < KERNEL_WORDS; i++, at += sizeof(words[0]))
		if (!bpf_probe_read_kernel(words, sizeof(words), (void *)at) &&
		    words[0] == sample->registers[11] && words[1] == sample->registers[2] &&
		    words[2] > LOWEST_CODE && words[2] < PROBE_PAGE)
			return words[2];
	return 0;
}
