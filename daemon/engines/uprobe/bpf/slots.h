// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/*
 * The observed threads: which they are, and their slots. See record.h for how records travel,
 * slot_writer.h for how one gets into a slot.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define CM_RING void
#define CM_SEND(ring, chunk)                                                                       \
	bpf_ringbuf_output(ring, chunk, sizeof(*(chunk)), BPF_RB_NO_WAKEUP)
#include "record/slot_writer.h"

/* Knobs, set before loading. */
const volatile __u64 exe_inode =
	0; /* the observed program: a target that executes another file is none any more */
const volatile __u32 exe_dev = 0;	/* its device, as the kernel has it; 0: any */
const volatile bool all_of_exe = false; /* observe every process that executes the program */
const volatile bool follow_forks = true;
const volatile bool tail_calls = false; /* an observed function may end in a jump to another one */

/* enum cm_recording; written by user space. */
volatile __u32 recording = CM_OFF;

/* Slots that no thread owns, lowest number on top. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 1);
	__uint(key_size, 0);
	__uint(value_size, sizeof(__u32));
} free_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cm_slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

/* Processes to observe, by tgid. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

enum slot_choice {
	UNKNOWN = 0,
	IGNORED = 1,
	FIRST_SLOT = 2
};

struct thread_state {
	__u32 choice;	  /* enum slot_choice, or FIRST_SLOT + slot number */
	__u32 generation; /* of the targets when it was IGNORED */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread_state);
} threads SEC(".maps");

/* The slot found last on this CPU: mostly that of the thread that runs, which saves a look-up. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} recent SEC(".maps");

/* Hits that found no slot, one counter per CPU; user space sums them. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} no_slot SEC(".maps");

/* Bumped by user space when it adds a process, so that threads once ignored are looked at again. */
volatile __u32 targets_generation = 0;

static __always_inline void count_no_slot(void)
{
	__u32 zero = 0;
	__u64 *count = bpf_map_lookup_elem(&no_slot, &zero);

	if (count)
		*count += 1;
}

static __noinline struct cm_slot *take_slot(struct task_struct *task, struct thread_state *state)
{
	__u32 number, tgid = task->tgid;
	/* Read before the look-up: a process that is added after it bumps the number. */
	__u32 generation = targets_generation;
	struct cm_slot *slot;

	if (!bpf_map_lookup_elem(&targets, &tgid)) {
		state->choice = IGNORED;
		state->generation = generation;
		return 0;
	}
	if (bpf_map_pop_elem(&free_slots, &number)) {
		count_no_slot();
		return 0;
	}
	slot = bpf_map_lookup_elem(&slots, &number);
	if (!slot)
		return 0;
	slot->pid = tgid;
	slot->tid = task->pid;
	slot->start_ns = BPF_CORE_READ(task, start_boottime);
	slot->trampoline = 0;
	__builtin_memset(slot->open_at, 0, sizeof(slot->open_at));
	bpf_probe_read_kernel(slot->comm, sizeof(slot->comm), &task->comm);
	cm_begin(slot, number);
	state->choice = FIRST_SLOT + number;
	return slot;
}

/* The slot of the current thread by way of its storage, or NULL. */
static __noinline struct cm_slot *find_slot(struct task_struct *task, __u32 *latest)
{
	struct thread_state *state;
	__u32 number;

	state = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!state) {
		count_no_slot();
		return 0;
	}
	if (state->choice >= FIRST_SLOT) {
		number = state->choice - FIRST_SLOT;
		*latest = number;
		return bpf_map_lookup_elem(&slots, &number);
	}
	if (state->choice == IGNORED && state->generation == targets_generation)
		return 0;
	return take_slot(task, state);
}

/* The slot of `task`, the current thread, or NULL when it is not to be observed. */
static __always_inline struct cm_slot *slot_of_current(struct task_struct *task)
{
	__u32 zero = 0, *latest = bpf_map_lookup_elem(&recent, &zero);
	struct cm_slot *slot;

	if (!latest)
		return 0; /* never: an array has its entry */
	slot = bpf_map_lookup_elem(&slots, latest);
	/* Any number may stand there, also one written by a thread that was preempted: the slot
	 * itself says whose it is. */
	if (slot && slot->tid == task->pid && slot->start_ns == task->start_boottime &&
	    slot->state == CM_LIVE)
		return slot;
	return find_slot(task, latest);
}

static __always_inline void append(struct cm_slot *slot, __u64 time, __u64 value, __u32 op,
				   __u16 kind, __u16 flags)
{
	cm_append(&ring, slot, time, value, op, kind, flags);
}
