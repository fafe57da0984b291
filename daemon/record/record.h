/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0 */
/* clang-format off: kernel style, as the programs that include it */
#pragma once

/*
 * What crosses from kernel to user space. Included by both sides.
 *
 * Every observed thread owns one slot of a memory-mapped array. The thread itself is the slot's
 * only writer (slot_writer.h). Records gather in the slot's chunk; a full chunk goes to the ring buffer as a whole,
 * and user space also reads the unfinished chunk in place, so that nothing waits in a thread that
 * went quiet. `first_seq` is the number of the chunk's first record: both ways deliver the same
 * numbered stream, and a gap in the numbers is a loss.
 */

#ifdef __bpf__
typedef __u64 cm_u64;
typedef __u32 cm_u32;
typedef __u16 cm_u16;
typedef __u8 cm_u8;
#else
#include <stdint.h>
typedef uint64_t cm_u64;
typedef uint32_t cm_u32;
typedef uint16_t cm_u16;
typedef uint8_t cm_u8;
#endif

#include "record/kinds.h"

#define CM_CHUNK_RECORDS                                                                           \
	32 /* one ring output per that many records (amortises its lock to below 1 ns) */
#define CM_COMM 16
#define CM_OWN_BYTES 32 /* a power of two */

enum cm_recording {
	CM_OFF = 0,
	CM_ON = 1,
	CM_PAUSED = 2, /* calls do not count, but threads that end and processes that come are still
			  told */
};

/* For CM_ENTRY, CM_EXIT, CM_STAYED and CM_TRANSFER `value` is the stack pointer at the function's entry; else it
 * is the argument. */
struct cm_record {
	cm_u64 time_ns;
	cm_u64 value;
	cm_u32 op;
	cm_u16 kind;
	cm_u16 flags;
};

struct cm_chunk {
	cm_u32 slot;
	cm_u32 count;	  /* records in it; written last */
	cm_u64 first_seq; /* number of records[0] in its thread's stream; lost ones are numbered too
			   */
	cm_u64 lost;	  /* records of this thread dropped before records[0], in all */
	cm_u64 generation; /* which thread's: a slot is used again after its thread ended */
	struct cm_record records[CM_CHUNK_RECORDS];
};

enum cm_slot_state {
	CM_FREE = 0,
	CM_LIVE = 1,
	CM_ENDED = 2, /* its thread exited or exec'ed: user space drains it and gives it back */
};

struct cm_slot {
	cm_u32 state;
	cm_u32 pid;
	cm_u32 tid;
	cm_u32 guard_hot;  /* guard_*, own_*: the writer's own, readers know nothing of them */
	cm_u64 start_ns;   /* of the thread, CLOCK_BOOTTIME */
	cm_u64 next_seq;   /* records counted so far, before they were sent */
	cm_u64 dropped;	   /* of them lost because the ring was full */
	cm_u64 own_word;
	cm_u64 guard_since_ns, guard_cost_ns;
	struct cm_chunk chunk;
	cm_u8 own_bytes[CM_OWN_BYTES];
	cm_u64 guard_ran_ns;
	char comm[CM_COMM];
	cm_u32 slice;	   /* likewise the writer's: that of its last record */
	cm_u32 unused[9]; /* of the last cache line, as neighbours are written by other CPUs */
};

/* Both sides were built at different times, perhaps by different compilers: they agree on this. */
#ifdef __cplusplus
#define CM_ASSERT(true_of_both) static_assert(true_of_both, #true_of_both)
#else
#define CM_ASSERT(true_of_both) _Static_assert(true_of_both, #true_of_both)
#endif
#define CM_AT(type, member, offset) CM_ASSERT(__builtin_offsetof(struct type, member) == (offset))

CM_ASSERT(sizeof(struct cm_record) == 24);
CM_AT(cm_record, value, 8);
CM_AT(cm_record, op, 16);
CM_AT(cm_record, kind, 20);
CM_AT(cm_record, flags, 22);

CM_ASSERT(sizeof(struct cm_chunk) == 32 + CM_CHUNK_RECORDS * sizeof(struct cm_record));
CM_AT(cm_chunk, count, 4);
CM_AT(cm_chunk, first_seq, 8);
CM_AT(cm_chunk, lost, 16);
CM_AT(cm_chunk, generation, 24);
CM_AT(cm_chunk, records, 32);

CM_ASSERT(sizeof(struct cm_slot) == 960);
CM_AT(cm_slot, pid, 4);
CM_AT(cm_slot, tid, 8);
CM_AT(cm_slot, start_ns, 16);
CM_AT(cm_slot, next_seq, 24);
CM_AT(cm_slot, dropped, 32);
CM_AT(cm_slot, own_word, 40);
CM_AT(cm_slot, guard_since_ns, 48);
CM_AT(cm_slot, chunk, 64);
CM_AT(cm_slot, own_bytes, 864);
CM_AT(cm_slot, comm, 904);
