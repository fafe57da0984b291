// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/* What the programs share with user space. */
#include "targets.h"
#include <bpf/bpf_core_read.h>
#include "sampling/record.h"
#include "told.h"

/* Written by user space while the programs run. */
volatile bool sampling = false;	     /* samples are taken */
volatile bool waits_count = false;   /* waiting times are looked at, too */
volatile __u32 keep = ~0u;	     /* of 2^32 hits of the timer, those that become samples */
volatile __u64 wait_period_ns = ~0u; /* waits at least that long are all taken */
volatile __u64 waits_since_ns = 0;   /* when waits_count was set last */
volatile __u32 waits_round = 0;	     /* how often */

/* Where samples go: small, so that its pages stay in the caches. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} samples SEC(".maps");

/* Of struct cm_process: apart, so that a flood of samples drowns none. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} news SEC(".maps");

/* By tid, where the stack's first frame begins: nothing above is needed. Learned by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u64);
} stack_tops SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cm_counts);
} counts SEC(".maps");

/* Only for the moment in which it is added: a hit of the timer may come between. */
#define ADD(field, value)                                                                          \
	do {                                                                                       \
		__u32 zero = 0;                                                                    \
		struct cm_counts *all = bpf_map_lookup_elem(&counts, &zero);                       \
		if (all)                                                                           \
			__sync_fetch_and_add(&all->field, value);                                  \
	} while (0)
#define COUNT(field) ADD(field, 1)
