// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/*
 * The slots of all threads: where they are, and how records get into one. See record.h for how
 * records travel, threads.h for whose slots they are.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "record/slot_writer.h"

/* enum cm_recording; written by user space. */
volatile __u32 recording = CM_OFF;

/* Slots that no thread owns, lowest number on top. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 1);
	__uint(key_size, 0);
	__uint(value_size, sizeof(__u32));
} free_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cm_slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

/* Hits that found no slot, one counter per CPU; user space sums them. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} no_slot SEC(".maps");

static __always_inline void count_no_slot(void)
{
	__u32 zero = 0;
	__u64 *count = bpf_map_lookup_elem(&no_slot, &zero);

	if (count)
		*count += 1;
}

static __always_inline void append(struct cm_slot *slot, __u64 time, __u64 value, __u32 op,
				   __u16 kind, __u16 flags)
{
	cm_append(&ring, slot, time, value, op, kind, flags);
}
