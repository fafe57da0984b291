// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/* What CPU time a process used. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define MAX_EXITING 64 /* threads that are on their way out at the same moment */

/* CPU time of all other threads of the process, those that ended included. */
static __always_inline __u64 cpu_of_others(struct task_struct *task)
{
	struct signal_struct *signal = BPF_CORE_READ(task, signal);
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
