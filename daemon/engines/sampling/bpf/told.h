/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0 */
#pragma once

/*
 * What the kernel side of the sampler tells beside samples (sampling/record.h): what becomes of
 * processes, and counts. Included by both sides; who includes it has __u32 and __u64 already.
 */
enum {
	CM_FORKED = 1, /* a target made this process, which is one too */
	CM_EXECUTED,   /* it executed a program, and is a target */
	CM_LEFT,       /* a target executed a program that is not observed */
	CM_ENDING,     /* its last thread begins to end: CM_ENDED follows */
	CM_ENDED,      /* that thread is gone */
};

struct cm_process {
	__u32 what;
	__u32 pid, parent; /* parent: of CM_FORKED */
	__u32 padding;
	__u64 time_ns;	/* CLOCK_MONOTONIC */
	__u64 cpu_ns;	/* that all its threads ever used; not of CM_FORKED, CM_ENDING */
	__u64 ended_ns; /* when it began to end; of CM_ENDED and CM_ENDING */
};

#define CM_TIMED_OF 16
#define CM_REACH_NS 40 /* what it takes to get to a program and back, which it cannot time */

/* One per CPU; user space sums them. */
struct cm_counts {
	__u64 on, off;	/* samples on their way to user space, by kind */
	__u64 lost;	/* samples, and news of processes, that had no room */
	__u64 switches; /* from threads of targets, while waits are looked at */
	__u64 looks;	/* runs of the programs that look at switches */
	/* What these took: of threads of targets, and of all. Of every CM_TIMED_OF-th alone. */
	__u64 own_ns, all_ns;
	__u64 samples_ns; /* what taking samples on CPUs took */
};
