// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/*
 * Calls of what a register or memory says (call *…, ff /2), as they were a moment ago: registers
 * are still those of the call. Instructions are laid out as in Intel's manual, volume 2, chapter 2.
 */
#include "maps.h"

#define POINTER_CALL 0xff
#define POINTER_CALL_MASK 0x38 /* of the byte behind it, which also says what is called */
#define POINTER_CALL_BITS 0x10
#define CODE_BYTES 8 /* in front of a return address: a call without a prefix, and one */
#define LONGEST_POINTER_CALL 7
#define RSP 4

/* In DWARF's numbers, four bits each, from 0 on: rax rcx rdx rbx rsp rbp rsi rdi. */
#define DWARF_NUMBERS 0x54673120ull

/*
 * An index of at most `mask`. The compiler drops a mask that it can prove needless, and the
 * verifier of older kernels (6.1) cannot prove the same: so it learns nothing of `index` before the
 * mask.
 */
static __always_inline __u32 bounded(__u32 index, __u32 mask)
{
	barrier_var(index);
	return index & mask;
}

/* The byte `back` bytes in front of the end of `code`, which has CODE_BYTES. */
static __always_inline __u8 byte_before(const __u8 *code, __u32 back)
{
	return code[bounded(CODE_BYTES - back, CODE_BYTES - 1)];
}

/* By the machine's number. */
static __always_inline __u64 register_at_call(const struct cm_sample *sample, __u32 number)
{
	__u32 dwarf = number < 8 ? DWARF_NUMBERS >> 4 * number & 15 : number & 15;
	__u64 value = sample->registers[bounded(dwarf, 15)];

	return number == RSP ? value + sizeof(value)
			     : value; /* the return address was pushed since */
}

/* Whether such a call is the last `length` bytes of `code`. */
static __always_inline bool is_pointer_call(const __u8 *code, __u32 length)
{
	return byte_before(code, length) == POINTER_CALL &&
	       (byte_before(code, length - 1) & POINTER_CALL_MASK) == POINTER_CALL_BITS;
}

/*
 * Where the call goes that is the last `length` bytes of `code`, in front of `address`. 0: it is
 * none of that length, or nobody knows. `rex`: its prefix; 0: none.
 */
static __always_inline __u64 target_of_call(const __u8 *code, __u32 length, __u8 rex, __u64 address,
					    const struct cm_sample *sample)
{
	__u8 how = byte_before(code, length - 1), mode = how >> 6, low = how & 7, sib = 0;
	bool has_sib = mode != 3 && low == 4, far = mode == 2;
	__u32 bytes = has_sib ? 3 : 2;
	__u64 from = 0, to = 0;

	if (has_sib) {
		sib = byte_before(code, length - 2);
		low = sib & 7;
	}
	if (mode == 0 && low == 5)
		far = true; /* no register: memory at an address of four bytes, or behind the call
			     */
	else
		from = register_at_call(sample, low | (rex & 1) << 3);
	if (length != bytes + (far ? 4 : mode == 1 ? 1 : 0))
		return 0;
	if (mode == 3)
		return from;
	if (has_sib && ((sib >> 3 & 7) != RSP || rex & 2))
		from += register_at_call(sample, (sib >> 3 & 7) | (rex & 2) << 2) << (sib >> 6);
	if (!has_sib && mode == 0 && low == 5)
		from = address;
	if (far)
		from += (__s64)(__s32)(code[4] | code[5] << 8 | code[6] << 16 |
				       (__u32)code[7] << 24);
	else if (mode == 1)
		from += (__s64)(__s8)code[7];
	if (bpf_probe_read_user(&to, sizeof(to), (void *)from))
		return 0;
	return to;
}

/* Where such a call in front of `address` goes; 0 where there is none. Not static: see callers.h.
 */
__noinline __u64 pointer_called(__u64 address, __u32 length, const struct cm_sample *sample)
{
	__u8 code[CODE_BYTES], rex;

	if (!sample || length < 2 || length > LONGEST_POINTER_CALL)
		return 0;
	if (bpf_probe_read_user(code, sizeof(code), (void *)(address - sizeof(code))))
		return 0;
	if (!is_pointer_call(code, length))
		return 0;
	rex = byte_before(code, length + 1);
	return target_of_call(code, length, (rex & 0xf0) == 0x40 ? rex : 0, address, sample);
}
