/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0 */
/* clang-format off: kernel style, as the programs that include it */
#pragma once

/*
 * The writing half of the slots (record.h): of the BPF programs, and of all else that records.
 * stream.cpp is the reading half. C and C++. In BPF full chunks go to a ring buffer map; whoever else
 * includes this says beforehand where they go:
 *
 *   CM_RING               type of the ring
 *   CM_SEND(ring, chunk)  copies the chunk into it; not 0: there was no room, nothing was copied
 *
 * A slot has one writer, the thread that owns it, and no append interrupts another one of the same
 * thread. Each CM_STORE is visible to others before the next one, and readers rely on their order:
 *
 *   next_seq   counts a record before the record is written or dropped: hits are never too few
 *   count      covers a record once it is whole
 *   a new chunk: the full one is in the ring; then count falls to 0, then first_seq goes on, then
 *              lost. So what a reader sees of `lost` never goes beyond `first_seq`: it may say too
 *              little, and the reader waits; it never says too much, by which what is still in the
 *              ring would pass for lost.
 *   state      becomes CM_LIVE when all else of the slot is set, CM_ENDED after its last record
 */
#include "record/record.h"

#ifdef __bpf__
#define CM_INLINE static __always_inline
#define CM_SELDOM static __noinline
#define CM_RING void
#define CM_SEND(ring, chunk)                                                                       \
	bpf_ringbuf_output(ring, chunk, sizeof(*(chunk)), BPF_RB_NO_WAKEUP)
#else
#define CM_INLINE static inline
#define CM_SELDOM static inline
#ifndef CM_SEND
#error "Define CM_RING and CM_SEND: where full chunks go"
#endif
#endif

/* CM_FILL: a store into a record that `count` does not cover yet. Tests have their own of both. */
#ifndef CM_STORE
#ifdef __bpf__
/* x86-64 keeps the order of stores; the compiler must too. */
#define CM_STORE(word, value)                                                                      \
	do {                                                                                       \
		barrier();                                                                         \
		*(volatile __typeof__(word) *)&(word) = (value);                                   \
		barrier();                                                                         \
	} while (0)
#define CM_FILL(word, value) ((word) = (value))
#else
#define CM_STORE(word, value) __atomic_store_n(&(word), (value), __ATOMIC_RELEASE)
#define CM_FILL(word, value) CM_STORE(word, value)
#endif
#endif

/* The slot, of that number in its array, is the calling thread's, which has set the words that say
 * whose it is (pid to start_ns, comm). */
CM_INLINE void cm_begin(struct cm_slot *slot, cm_u32 number)
{
	CM_STORE(slot->next_seq, 0);
	CM_STORE(slot->dropped, 0);
	CM_STORE(slot->chunk.slot, number);
	CM_STORE(slot->chunk.count, 0);
	CM_STORE(slot->chunk.first_seq, 0);
	CM_STORE(slot->chunk.lost, 0);
	CM_STORE(slot->chunk.generation, slot->chunk.generation + 1);
	CM_STORE(slot->state, CM_LIVE);
}

/* Nothing of this thread follows; whoever reads gives the slot back. */
CM_INLINE void cm_end(struct cm_slot *slot)
{
	CM_STORE(slot->state, CM_ENDED);
}

/*
 * Hands a full chunk to the ring and starts the next one with the record numbered `seq`. When the
 * ring is full the chunk stays as it is (it is still read in place) and the new record is the one
 * that is lost: not 0.
 */
CM_SELDOM int cm_next_chunk(CM_RING *ring, struct cm_slot *slot, cm_u64 seq)
{
	if (CM_SEND(ring, &slot->chunk)) {
		CM_STORE(slot->dropped, slot->dropped + 1);
		return 1;
	}
	CM_STORE(slot->chunk.count, 0);
	CM_STORE(slot->chunk.first_seq, seq);
	CM_STORE(slot->chunk.lost, slot->dropped);
	return 0;
}

CM_INLINE void cm_append(CM_RING *ring, struct cm_slot *slot, cm_u64 time, cm_u64 value, cm_u32 op,
			 cm_u16 kind, cm_u16 flags)
{
	cm_u64 seq = slot->next_seq;
	struct cm_record *record;
	cm_u32 count;

	CM_STORE(slot->next_seq, seq + 1);
	count = slot->chunk.count;
	if (count >= CM_CHUNK_RECORDS) {
		if (cm_next_chunk(ring, slot, seq))
			return;
		count = 0;
	}
	record = &slot->chunk.records[count & (CM_CHUNK_RECORDS - 1)];
	CM_FILL(record->time_ns, time);
	CM_FILL(record->value, value);
	CM_FILL(record->op, op);
	CM_FILL(record->kind, kind);
	CM_FILL(record->flags, flags);
	CM_STORE(slot->chunk.count, count + 1);
}
