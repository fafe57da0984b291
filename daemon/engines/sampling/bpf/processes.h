// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/* Processes that fork and execute programs. */
#include "ends.h"

SEC("tp_btf/sched_process_fork")
int on_fork(__u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0];
	struct task_struct *child = (void *)ctx[1];

	if (target_forks(parent, child))
		tell(CM_FORKED, child->tgid, parent->tgid, 0, 0);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int on_exec(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct linux_binprm *bprm = (void *)ctx[2];
	bool was = target_of(task->tgid);
	bool is = target_execs(task, bprm);

	if (was || is)
		tell(is ? CM_EXECUTED : CM_LEFT, task->tgid, 0,
		     cpu_of_others(task) + task->se.sum_exec_runtime, 0);
	return 0;
}
