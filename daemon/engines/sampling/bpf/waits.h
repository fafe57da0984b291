// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/*
 * Waiting times. A wait of length d becomes a sample with the probability min(1, d / T), and stands
 * for max(d, T) then: the sum of weights is right on average, however many waits there are, and no
 * long one is missed. It is known how long a wait was when the thread is switched to, and its stack
 * can be read when it is the current one again, right after.
 */
#include "take.h"

struct wait {
	__u64 since_ns;	   /* 0: it runs */
	__u64 runnable_ns; /* in all its life, when that began */
	__u32 state;	   /* as it went */
	__u32 round;	   /* see waits_round; another one: nothing here is true */
	__u32 unknown;	   /* it was not seen running in this round */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wait);
} waits SEC(".maps");

/* How far this clock is ahead of the scheduler's; 0: not known yet. */
static volatile __u64 clock_ahead_ns = 0;

/*
 * For how long it waited for a CPU in all its life, which the scheduler adds up by its own clock.
 * Kernels without that: always 0, so that all waits but a preempted thread's are blocked ones.
 */
static __always_inline __u64 runnable_so_far(struct task_struct *task, __u64 now)
{
	__u64 queued, clock = now - clock_ahead_ns;

	if (!bpf_core_field_exists(task->sched_info))
		return 0;
	queued = task->sched_info.last_queued;
	if (!queued || !clock_ahead_ns || clock < queued)
		return task->sched_info.run_delay;
	return task->sched_info.run_delay + (clock - queued);
}

/* Of threads of targets, also of such that were ones; none of others. */
static __always_inline struct wait *wait_of(struct task_struct *task)
{
	struct wait *wait = bpf_task_storage_get(&waits, task, 0, 0);

	if (!wait && target_of(task->tgid))
		wait = bpf_task_storage_get(&waits, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (wait && wait->round != waits_round) {
		wait->since_ns = 0;
		wait->unknown = 1;
		wait->round = waits_round;
	}
	return wait;
}

static __always_inline __u64 later(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

static __always_inline void begin_wait(struct wait *wait, struct task_struct *task, __u64 since,
				       __u64 now, __u32 state)
{
	wait->unknown = 0;
	wait->state = state;
	wait->runnable_ns = runnable_so_far(task, now);
	wait->since_ns = since;
}

/* Of a thread that waits since before anyone looked: what of it counts began then. */
static __always_inline __u64 begin_unknown(struct wait *wait, struct task_struct *task, __u64 now)
{
	__u64 *target = target_of(task->tgid), since;

	if (!target)
		return 0;
	since = later(*target, waits_since_ns);
	if (task->start_time <= since)
		begin_wait(wait, task, since, now, 1);
	else /* a new thread: it can run */
		begin_wait(wait, task, task->start_time, now, 0);
	return wait->since_ns;
}

/* Decides whether the wait [since, now] becomes a sample, and makes it. */
static __always_inline void choose(const struct wait *wait, struct task_struct *task, __u64 since,
				   __u64 now, const bool asleep)
{
	__u64 off = now - since, period = wait_period_ns, runnable;
	struct moment moment = {.kind = CM_OFF_CPU,
				.state = wait->state,
				.time_ns = now,
				.off_ns = off,
				.weight_ns = later(off, period)};

	if (now <= since)
		return;
	/* Shifted, so that ten seconds times 2^32 have room. */
	if (off < period && (off >> 10) << 32 < (__u64)bpf_get_prandom_u32() * (period >> 10))
		return;
	if (!target_of(task->tgid))
		return;
	runnable = runnable_so_far(task, now) - wait->runnable_ns;
	moment.runnable_ns = wait->state == 0 || runnable > off ? off : runnable;
	take(&moment, task, asleep);
}
