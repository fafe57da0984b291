// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/* Processes that are no targets and come by probes, where a file is attached for all. */
#include "threads.h"

/* What they called, by operation. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} stranger_calls SEC(".maps");

/* Who they are, by tgid, as far as there is room. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u8);
} strangers SEC(".maps");

/* A call of a thread that has no slot: a target's that found none is counted elsewhere. */
static __noinline int count_stranger(struct task_struct *task, __u32 op)
{
	struct thread_state *state = bpf_task_storage_get(&threads, task, 0, 0);
	__u32 tgid = task->tgid;
	__u64 *calls;
	__u8 known = 1;

	if (!state || state->choice != IGNORED)
		return 0;
	calls = bpf_map_lookup_elem(&stranger_calls, &op);
	if (calls)
		__sync_fetch_and_add(calls, 1);
	if (!bpf_map_lookup_elem(&strangers, &tgid))
		bpf_map_update_elem(&strangers, &tgid, &known, BPF_ANY);
	return 0;
}
