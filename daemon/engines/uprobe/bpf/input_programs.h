// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/* Where inputs are counted: at the end of all calls of the system, or where something is received.
 */
#include "inputs.h"

SEC("tp_btf/sys_exit")
int on_sys_exit(__u64 *ctx)
{
	struct pt_regs *regs = (void *)ctx[0];
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 zero = 0;
	struct cm_inputs *counts = bpf_map_lookup_elem(&inputs, &zero);
	long result = ctx[1];

	if (!counts)
		return 0; /* never: an array has its entry */
	counts->calls++;  /* of all processes: each pays for being looked at */
	if (result > 0 && reads(regs->orig_ax) && target_of(task->tgid))
		count_input(task, counts, regs->di, size_stratum(result));
	else if (result >= 0 && accepts(regs->orig_ax) && target_of(task->tgid))
		count_input(task, counts, regs->di, CM_CONNECTION);
	return 0;
}

/*
 * Where a program reads from sockets: this costs a reader less than half of that, and other calls
 * nothing.
 */
SEC("tp_btf/sock_recv_length")
int on_receive(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 zero = 0;
	struct cm_inputs *counts = bpf_map_lookup_elem(&inputs, &zero);
	int result = ctx[1];
	struct pt_regs *regs;

	if (!counts)
		return 0;
	if (!target_of(task->tgid) && task->tgid != measuring) {
		counts->others++;
		return 0;
	}
	counts->receives++;
	if (result <= 0)
		return 0;
	regs = (void *)bpf_task_pt_regs(task);
	if (!reads(regs->orig_ax))
		return 0;
	if (sockets_alone)
		count_input(task, counts, regs->di, size_stratum(result));
	else
		__sync_fetch_and_add(&counts->received, 1);
	return 0;
}
