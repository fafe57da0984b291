// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/*
 * Inputs: calls of the system by which observed threads read something, or took a connection. All
 * are counted, by where they read from and by how much; in slices they are records, too, and the
 * last one before is. The strata are those of estimate/counts/strata.h.
 */
#include "threads.h"
#include "record/inputs.h"

/* Of x86-64. */
enum {
	CM_SYS_READ = 0,
	CM_SYS_READV = 19,
	CM_SYS_ACCEPT = 43,
	CM_SYS_RECVFROM = 45,
	CM_SYS_RECVMSG = 47,
	CM_SYS_ACCEPT4 = 288,
};

/* Of sizes: of a connection, which has none. Reads of 80 to 96 KiB alone share it. */
#define CM_CONNECTION 1

/* The number of the slice that is now, 0: none; written by user space. */
volatile __u32 slice = 0;
/* Another one each time that user space begins to count: what a thread read last is known since. */
volatile __u32 counting = 0;
/* Inputs are told by receives alone: on_sys_exit is not there. */
volatile __u32 sockets_alone = 0;
/* A process that measures what it costs to be looked at as a target is; 0: none does. */
volatile __u32 measuring = 0;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cm_inputs);
} inputs SEC(".maps");

static __always_inline __u32 size_stratum(__u64 bytes)
{
	__u64 rest = bytes;
	__u32 octave = 0;

	for (int step = 32; step > 0; step /= 2) {
		if (rest >> step) {
			rest >>= step;
			octave += step;
		}
	}
	return octave * 4 + (octave >= 2 ? bytes >> (octave - 2) & 3 : 0);
}

/* The first record of a thread in a slice says what it read last. */
static __noinline int append_earlier(struct cm_slot *slot, struct task_struct *task)
{
	struct thread_state *state = bpf_task_storage_get(&threads, task, 0, 0);

	slot->slice = slice;
	if (state && state->input && state->counting == counting)
		append(slot, bpf_ktime_get_ns(), state->input & ~CM_INPUT_KNOWN, 0, CM_INPUT,
		       CM_EARLIER);
	return 0;
}

static __always_inline void begin_slice(struct cm_slot *slot, struct task_struct *task)
{
	if (slice && slot->slice != slice)
		append_earlier(slot, task);
}

static __always_inline bool reads(__u64 number)
{
	return number == CM_SYS_READ || number == CM_SYS_READV || number == CM_SYS_RECVFROM ||
	       number == CM_SYS_RECVMSG;
}

static __always_inline bool accepts(__u64 number)
{
	return number == CM_SYS_ACCEPT || number == CM_SYS_ACCEPT4;
}

static __noinline int count_input(struct task_struct *task, struct cm_inputs *counts, __u32 from,
				  __u32 size)
{
	__u32 descriptor = from & (CM_STRATA - 1);
	struct thread_state *state;
	struct cm_slot *slot;

	size &= CM_STRATA - 1;
	state = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!state)
		return 0;
	/* Another thread may come between the reading and the writing of a counter. */
	__sync_fetch_and_add(&counts->descriptor[descriptor], 1);
	__sync_fetch_and_add(&counts->size[size], 1);
	if (slice && recording == CM_ON) {
		slot = slot_of_current(task);
		if (slot) {
			begin_slice(slot, task);
			append(slot, bpf_ktime_get_ns(), descriptor | size << CM_INPUT_SIZE_SHIFT,
			       0, CM_INPUT, 0);
		}
	}
	state->input = descriptor | size << CM_INPUT_SIZE_SHIFT | CM_INPUT_KNOWN;
	state->counting = counting;
	return 0;
}
