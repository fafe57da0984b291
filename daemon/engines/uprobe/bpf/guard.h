// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/*
 * Adds up what the calls of each thread cost, and wakes user space where that is more than half of
 * the thread's time: then the target hardly moves, whatever else its processes do.
 */
#include "alarm.h"
#include "cookie.h"
#include "slots.h"

/* A knob, set before loading: somebody listens. */
const volatile bool guarded = false;

/* Of struct cm_alarm; what finds no room is told again. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} alarms SEC(".maps");

/* A thread's time is looked at in parts of that length, or longer where it calls nothing. */
#define GUARD_SPAN_NS 10000000
/* Less is over before probes could be gone. */
#define GUARD_LEAST_NS 1000000
/*
 * A quarter by what calls cost in a loop of nothing else. A server loses twice that and more, as its
 * caches are not those of a loop: PostgreSQL ran at 0.30 to 0.45 of its speed where costs say 35 to
 * 45 % of the CPU time.
 */
#define GUARD_PART 4
/*
 * So many parts in a row: the kernel books a thread's time at each tick, so that a single one may
 * look like that by chance, and a burst of one is not worth a gap.
 */
#define GUARD_PARTS 2

/* At the end of a part. */
static __noinline int guard_turn(struct cm_slot *slot, struct task_struct *task, __u64 now)
{
	__u64 since = slot->guard_since_ns, cost = slot->guard_cost_ns;
	__u64 booked = task->se.sum_exec_runtime, ran = booked - slot->guard_ran_ns;
	struct cm_alarm alarm = {};

	slot->guard_since_ns = now;
	slot->guard_cost_ns = 0;
	slot->guard_ran_ns = booked;
	if (!ran || ran > now - since) /* no tick came: it ran all the while */
		ran = now - since;
	if (cost < GUARD_LEAST_NS || cost * GUARD_PART < ran) {
		slot->guard_hot = 0;
		return 0;
	}
	slot->guard_hot++;
	if (slot->guard_hot < GUARD_PARTS)
		return 0;
	alarm.since_ns = since - (GUARD_PARTS - 1) * GUARD_SPAN_NS;
	alarm.cost_ns = cost;
	alarm.ran_ns = ran;
	bpf_ringbuf_output(&alarms, &alarm, sizeof(alarm), 0);
	return 0;
}

/* A call begins at `now`, or stays where it might have been left. */
static __always_inline void guard(struct cm_slot *slot, struct task_struct *task, __u64 cookie,
				  __u64 now)
{
	if (!guarded)
		return;
	slot->guard_cost_ns += (cookie >> CM_COOKIE_OP_BITS & ((1 << CM_COOKIE_COST_BITS) - 1)) *
			       CM_COOKIE_COST_UNIT_NS;
	if (now - slot->guard_since_ns >= GUARD_SPAN_NS)
		guard_turn(slot, task, now);
}
