// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/* The observed threads: which they are, and which slot is whose. */
#include "slots.h"
#include "targets.h"
#include <bpf/bpf_core_read.h>

enum slot_choice {
	UNKNOWN = 0,
	IGNORED = 1,
	FIRST_SLOT = 2
};

struct thread_state {
	__u32 choice;	  /* enum slot_choice, or FIRST_SLOT + slot number */
	__u32 generation; /* of the targets when it was IGNORED */
	__u32 input;	  /* strata of the last input and CM_INPUT_KNOWN; 0: none yet */
	__u32 counting;	  /* when that was: as `counting` */
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

/* Bumped by user space when it adds a process, so that threads once ignored are looked at again. */
volatile __u32 targets_generation = 0;

static __noinline struct cm_slot *take_slot(struct task_struct *task, struct thread_state *state)
{
	__u32 number, tgid = task->tgid;
	/* Read before the look-up: a process that is added after it bumps the number. */
	__u32 generation = targets_generation;
	struct cm_slot *slot;

	if (!target_of(tgid)) {
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
	slot->own_word = 0;
	slot->guard_hot = 0;
	slot->guard_cost_ns = 0;
	slot->slice = 0;
	__builtin_memset(slot->own_bytes, 0, sizeof(slot->own_bytes));
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
