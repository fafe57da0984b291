// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/* Processes that end, and what CPU time they used. */
#include "cpu_time.h"
#include "maps.h"

#define TASK_DEAD 0x80

static __noinline int tell(__u32 what, __u32 pid, __u32 parent, __u64 cpu_ns, __u64 ended_ns)
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
	process->ended_ns = ended_ns;
	process->cpu_ns = cpu_ns;
	bpf_ringbuf_submit(process, 0); /* wakes its reader up where it is the only one */
	return 0;
}

/* The last thread of a target, on its way out. */
struct last_thread {
	__u64 task;	 /* not freed as long as this is here */
	__u64 others_ns; /* CPU time that all others used */
	__u64 ended_ns;
};

/* By tid. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, struct last_thread);
} last_threads SEC(".maps");

static __always_inline void end_process(struct task_struct *task, const struct last_thread *last)
{
	__u32 tgid = BPF_CORE_READ(task, tgid);

	tell(CM_ENDED, tgid, 0, last->others_ns + BPF_CORE_READ(task, se.sum_exec_runtime),
	     last->ended_ns);
	remove_target(tgid);
}

/*
 * What CPU time the thread used is complete only when it was switched from for the last time, which
 * matters: of one that lives for 50 ms up to a tick is missing here, and what it takes to give back
 * its memory. To look at every switch for that would cost more than all else here.
 */
SEC("tp_btf/sched_process_exit")
int on_thread_exit(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct last_thread last = {.task = (__u64)task, .ended_ns = bpf_ktime_get_ns()};
	__u32 tid = task->pid;

	if (BPF_CORE_READ(task, signal, live.counter) != 0 || !target_of(task->tgid))
		return 0;
	last.others_ns = cpu_of_others(task);
	if (bpf_map_update_elem(&last_threads, &tid, &last, BPF_ANY))
		end_process(task, &last);
	else
		tell(CM_ENDING, task->tgid, 0, 0, last.ended_ns);
	return 0;
}

struct bpf_map;

static long tell_if_complete(struct bpf_map *map, __u32 *key, struct last_thread *of, void *unused)
{
	__u32 tid = *key;
	struct last_thread last = *of;
	struct task_struct *task = (void *)last.task;

	(void)map, (void)unused;
	if (!(BPF_CORE_READ(task, __state) & TASK_DEAD) || BPF_CORE_READ(task, on_cpu))
		return 0;
	if (!bpf_map_delete_elem(&last_threads, &tid))
		end_process(task, &last);
	return 0;
}

/*
 * Tells of those that are complete. User space runs this while some are not. An iterator over the
 * map would do as well, but some kernels keep those from being loaded that may write what they see.
 */
SEC("syscall")
int tell_ended(void *ctx)
{
	(void)ctx;
	bpf_for_each_map_elem(&last_threads, tell_if_complete, 0, 0);
	return 0;
}

/* Some time after its last switch, when it has been waited for: the last moment. */
SEC("tp_btf/sched_process_free")
int on_thread_free(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u32 tid = task->pid;
	struct last_thread *of = bpf_map_lookup_elem(&last_threads, &tid), last;

	if (!of || of->task != (__u64)task)
		return 0;
	last = *of;
	if (!bpf_map_delete_elem(&last_threads, &tid))
		end_process(task, &last);
	return 0;
}
