// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/*
 * What looks at switches for the sake of waiting times: programs that are attached only meanwhile,
 * and say how long they take.
 */
#include "waits.h"
#include "iterators.h"

/* Some runs of the programs below are timed, so that user space knows what all of them cost. */
static __always_inline __u64 begin_look(void)
{
	__u32 zero = 0;
	struct cm_counts *all = bpf_map_lookup_elem(&counts, &zero);

	return all && all->looks++ % CM_TIMED_OF == 0 ? bpf_ktime_get_ns() : 0;
}

static __always_inline void end_look(__u64 began, bool own)
{
	__u32 zero = 0;
	struct cm_counts *all = began ? bpf_map_lookup_elem(&counts, &zero) : 0;
	__u64 took;

	if (!all)
		return;
	took = bpf_ktime_get_ns() - began + CM_REACH_NS;
	all->all_ns += took;
	if (own)
		all->own_ns += took;
}

static __always_inline bool leave(struct task_struct *task, __u32 state)
{
	struct wait *wait = wait_of(task);
	__u64 now;

	if (!wait)
		return false;
	COUNT(switches);
	now = bpf_ktime_get_ns();
	if (!(state & TASK_DEAD))
		begin_wait(wait, task, now, now, state);
	return true;
}

static __always_inline bool come_back(struct task_struct *task)
{
	struct wait *wait = wait_of(task);
	__u64 since, now;

	if (!wait)
		return false;
	now = bpf_ktime_get_ns();
	since = __sync_lock_test_and_set(&wait->since_ns, 0);
	if (!since && wait->unknown) {
		since = begin_unknown(wait, task, now);
		wait->since_ns = 0;
	}
	if (since)
		choose(wait, task, since, now, false);
	return true;
}

/* Attached only while waits are looked at, as is the next one. */
SEC("tp_btf/sched_switch")
int on_switch(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[1];
	__u64 began;
	bool own;

	if (!waits_count)
		return 0;
	began = begin_look();
	own = task->pid &&
	      leave(task, ctx[0] ? 0 : ctx[3]); /* preempted: it goes on as soon as it may */
	end_look(began, own);
	return 0;
}

/*
 * The thread that was switched to is the current one: its memory can be read. One that runs for
 * the first time does not come by here, so what it waited for its first CPU is not told.
 */
SEC("tp_btf/sched_exit_tp")
int on_back(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 began;
	bool own;

	if (!waits_count || !ctx[0])
		return 0;
	began = begin_look();
	own = task->pid && come_back(task);
	/* It has just arrived. */
	if (own && began && bpf_core_field_exists(task->sched_info))
		clock_ahead_ns = began - task->sched_info.last_arrival;
	end_look(began, own);
	return 0;
}

/* Ends all waits, and begins them anew: what lies before now belongs to the time that ends now. */
SEC("iter.s/task")
int cut_waits(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct wait *wait, piece;
	__u64 since, now;

	if (!task || !waits_count || !target_of(task->tgid))
		return 0;
	wait = wait_of(task);
	if (!wait || task->on_cpu)
		return 0;
	since = wait->since_ns;
	now = bpf_ktime_get_ns();
	if (!since && wait->unknown)
		since = begin_unknown(wait, task, now);
	if (!since)
		return 0;
	piece = *wait;
	if (__sync_val_compare_and_swap(&wait->since_ns, since, now) != since)
		return 0; /* it came back just now */
	wait->runnable_ns = runnable_so_far(task, now);
	choose(&piece, task, since, now, true);
	return 0;
}
