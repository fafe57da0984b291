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
	__u64 since_ns;				       /* 0: it runs */
	__u64 woken_ns;				       /* 0: not yet */
	__u64 back_ns, off_ns, runnable_ns, weight_ns; /* of the one that became a sample */
	__u32 state;				       /* as it went */
	__u32 round;   /* see waits_round; another one: nothing here is true */
	__u32 unknown; /* it was not seen running in this round */
	__u32 chosen;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wait);
} waits SEC(".maps");

/* A thread was chosen that is about to be this CPU's current one. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} chosen_here SEC(".maps");

static __always_inline struct wait *wait_of(struct task_struct *task)
{
	struct wait *wait = bpf_task_storage_get(&waits, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (wait && wait->round != waits_round) {
		wait->since_ns = 0;
		wait->chosen = 0;
		wait->unknown = 1;
		wait->round = waits_round;
	}
	return wait;
}

static __always_inline __u64 later(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

/* Of a thread that waits since before anyone looked: what of it counts began then. */
static __always_inline __u64 begin_unknown(struct wait *wait, struct task_struct *task,
					   __u64 target_since_ns)
{
	__u64 since = later(target_since_ns, waits_since_ns);

	wait->unknown = 0;
	wait->woken_ns = 0;
	wait->state = 1;
	if (task->start_time <= since)
		return since;
	wait->state = 0; /* a new thread: it can run */
	return task->start_time;
}

/* Decides whether the wait [since, now] becomes a sample. */
static __always_inline bool choose(struct wait *wait, __u64 since, __u64 now)
{
	__u64 off = now - since, period = wait_period_ns;

	if (now <= since)
		return false;
	/* Shifted, so that ten seconds times 2^32 have room. */
	if (off < period && (off >> 10) << 32 < (__u64)bpf_get_prandom_u32() * (period >> 10))
		return false;
	wait->back_ns = now;
	wait->off_ns = off;
	wait->weight_ns = later(off, period);
	if (wait->state == 0)
		wait->runnable_ns = off;
	else
		wait->runnable_ns = wait->woken_ns ? now - later(wait->woken_ns, since) : 0;
	return true;
}

static __always_inline void take_wait(struct wait *wait, struct task_struct *task,
				      const bool asleep)
{
	struct moment moment = {.kind = CM_OFF_CPU,
				.state = wait->state,
				.time_ns = wait->back_ns,
				.off_ns = wait->off_ns,
				.runnable_ns = wait->runnable_ns,
				.weight_ns = wait->weight_ns};

	take(&moment, task, asleep);
}

static __always_inline void begin_wait(struct task_struct *task, __u64 now, __u32 state)
{
	struct wait *wait = wait_of(task);

	if (!wait)
		return;
	wait->unknown = 0;
	wait->chosen = 0;
	wait->woken_ns = 0;
	wait->state = state;
	wait->since_ns = now;
}

static __always_inline void end_wait(struct task_struct *task, __u64 now, __u64 target_since_ns)
{
	struct wait *wait = wait_of(task);
	__u32 zero = 0, *here;
	__u64 since;

	if (!wait)
		return;
	since = __sync_lock_test_and_set(&wait->since_ns, 0);
	if (!since && wait->unknown)
		since = begin_unknown(wait, task, target_since_ns);
	wait->unknown = 0;
	if (!since || !choose(wait, since, now))
		return;
	wait->chosen = 1;
	here = bpf_map_lookup_elem(&chosen_here, &zero);
	if (here)
		*here = 1;
}

SEC("tp_btf/sched_switch")
int on_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	__u32 state = ctx[0] ? 0 : ctx[3]; /* preempted: it goes on as soon as it may */
	__u64 *target, now;

	end_of_thread(prev, ctx[3]);
	if (!sampling)
		return 0;
	now = bpf_ktime_get_ns();
	if (target_of(prev->tgid)) {
		COUNT(switches);
		if (waits_count && !(state & TASK_DEAD))
			begin_wait(prev, now, state);
	}
	target = waits_count ? target_of(next->tgid) : 0;
	if (target)
		end_wait(next, now, *target);
	return 0;
}

/* Where waits are not looked at at all. */
SEC("tp_btf/sched_switch")
int on_last_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1];

	end_of_thread(prev, prev->__state);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int on_wakeup(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct wait *wait;
	__u64 *target;

	if (!waits_count || !sampling)
		return 0;
	target = target_of(task->tgid);
	wait = target ? wait_of(task) : 0;
	if (!wait)
		return 0;
	if (wait->unknown)
		wait->since_ns = begin_unknown(wait, task, *target);
	if (wait->since_ns)
		wait->woken_ns = bpf_ktime_get_ns();
	return 0;
}

/*
 * The thread that was switched to is the current one: its memory can be read. One that runs for
 * the first time does not come by here, so what it waited for its first CPU is not told.
 */
SEC("tp_btf/sched_exit_tp")
int on_back(void *ctx)
{
	__u32 zero = 0, *here = bpf_map_lookup_elem(&chosen_here, &zero);
	struct task_struct *task;
	struct wait *wait;

	if (!here || !*here)
		return 0;
	*here = 0;
	task = bpf_get_current_task_btf();
	wait = bpf_task_storage_get(&waits, task, 0, 0);
	if (!wait || !wait->chosen)
		return 0;
	wait->chosen = 0;
	take_wait(wait, task, false);
	return 0;
}

/* Ends all waits, and begins them anew: what lies before now belongs to the time that ends now. */
SEC("iter.s/task")
int cut_waits(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct wait *wait, piece = {};
	__u64 *target, since, now;

	if (!task || !waits_count || !sampling)
		return 0;
	target = target_of(task->tgid);
	wait = target ? wait_of(task) : 0;
	if (!wait)
		return 0;
	now = bpf_ktime_get_ns();
	since = wait->since_ns;
	if (!since && (!wait->unknown || task->on_cpu))
		return 0;
	if (!since)
		wait->since_ns = since = begin_unknown(wait, task, *target);
	if (__sync_val_compare_and_swap(&wait->since_ns, since, now) != since)
		return 0; /* it came back just now */
	piece.state = wait->state;
	piece.woken_ns = wait->woken_ns;
	if (choose(&piece, since, now))
		take_wait(&piece, task, true);
	return 0;
}
