// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/* Processes that fork, execute programs and end, and what CPU time they used. */
#include "maps.h"

#define TASK_DEAD 0x80
#define MAX_EXITING 64 /* threads that are on their way out at the same moment */

static __noinline int tell(__u32 what, __u32 pid, __u32 parent, __u64 cpu_ns)
{
	struct cm_process *process = bpf_ringbuf_reserve(&news, sizeof(*process), 0);

	if (!process) {
		COUNT(lost);
		return 0;
	}
	process->what = what;
	process->pid = pid;
	process->parent = parent;
	process->padding = 0;
	process->time_ns = bpf_ktime_get_ns();
	process->cpu_ns = cpu_ns;
	bpf_ringbuf_submit(process, 0); /* wakes its reader up where it is the only one */
	return 0;
}

/* CPU time of all other threads of the process, those that ended included. */
static __always_inline __u64 cpu_of_others(struct task_struct *task)
{
	struct signal_struct *signal = task->signal;
	struct list_head *head = __builtin_preserve_access_index(&signal->thread_head);
	struct list_head *node = BPF_CORE_READ(signal, thread_head.next);
	__u64 sum = BPF_CORE_READ(signal, sum_sched_runtime);
	struct task_struct *other;
	int i;

	for (i = 0; i < MAX_EXITING && node && node != head; i++) {
		other = (void *)node - bpf_core_field_offset(struct task_struct, thread_node);
		if (other != task)
			sum += BPF_CORE_READ(other, se.sum_exec_runtime);
		node = BPF_CORE_READ(node, next);
	}
	return sum;
}

/* By tid: the last thread of a target, on its way out, and what CPU time all others used. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} last_threads SEC(".maps");

static __always_inline void end_process(struct task_struct *task, __u64 others_ns)
{
	tell(CM_ENDED, task->tgid, 0, others_ns + task->se.sum_exec_runtime);
	remove_target(task->tgid);
}

/*
 * At a switch from a thread in this state. A thread's own time is complete only then, which
 * matters: one that lives for 50 ms has been seen up to a tick ago when its exit is told.
 */
static __always_inline void end_of_thread(struct task_struct *task, __u64 state)
{
	__u32 tid = task->pid;
	__u64 *others;

	if (!(state & TASK_DEAD))
		return;
	others = bpf_map_lookup_elem(&last_threads, &tid);
	if (!others)
		return;
	end_process(task, *others);
	bpf_map_delete_elem(&last_threads, &tid);
}

SEC("tp_btf/sched_process_exit")
int on_thread_exit(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u32 tid = task->pid;
	__u64 others;

	if (task->signal->live.counter != 0 || !target_of(task->tgid))
		return 0;
	others = cpu_of_others(task);
	if (bpf_map_update_elem(&last_threads, &tid, &others, BPF_ANY))
		end_process(task, others);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int on_fork(__u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0];
	struct task_struct *child = (void *)ctx[1];

	if (target_forks(parent, child))
		tell(CM_FORKED, child->tgid, parent->tgid, 0);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int on_exec(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct linux_binprm *bprm = (void *)ctx[2];
	bool was = target_of(task->tgid);
	bool is = target_execs(task, bprm);

	if (was || is)
		tell(is ? CM_EXECUTED : CM_LEFT, task->tgid, 0,
		     cpu_of_others(task) + task->se.sum_exec_runtime);
	return 0;
}
