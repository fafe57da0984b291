// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/*
 * What CPU time targets used that ended: user space looks only now and then, and of one that its
 * parent has collected there is nothing left to look at.
 */
#include "cpu_time.h"
#include "end.h"
#include "threads.h"

/* By tgid, until user space took it. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cm_end);
} ends SEC(".maps");

/* How many found no room there. */
volatile __u64 untold_ends = 0;

/*
 * The last thread of a target since `since_ns` is on its way out, or it executes another program:
 * `complete`.
 */
static __always_inline void tell_end(struct task_struct *task, __u64 since_ns, bool complete)
{
	struct cm_end end = {.since_ns = since_ns, .task = (__u64)task, .complete = complete};
	__u32 tgid = task->tgid;

	if (!recording)
		return;
	end.others_ns = cpu_of_others(task);
	end.cpu_ns = end.others_ns + task->se.sum_exec_runtime;
	if (bpf_map_update_elem(&ends, &tgid, &end, BPF_ANY))
		__sync_fetch_and_add(&untold_ends, 1);
}

/*
 * Some time after its last switch, when it has been waited for: only now its time is complete, of
 * which the kernel booked the last part at that switch.
 */
SEC("tp_btf/sched_process_free")
int on_thread_free(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u32 tgid = task->tgid;
	struct cm_end *told = bpf_map_lookup_elem(&ends, &tgid), end;

	if (!told || told->complete || told->task != (__u64)task)
		return 0;
	end = *told;
	end.cpu_ns = end.others_ns + BPF_CORE_READ(task, se.sum_exec_runtime);
	end.complete = true;
	bpf_map_update_elem(&ends, &tgid, &end, BPF_ANY);
	return 0;
}
