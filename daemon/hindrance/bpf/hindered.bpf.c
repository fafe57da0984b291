// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
/* Lists the threads of the machine whose system calls somebody else may take. */
#include "iterators.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "thread.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

enum syscall_work_bit {
	SYSCALL_WORK_BIT_SYSCALL_USER_DISPATCH = 5,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_info {
	unsigned long syscall_work;
};

struct seccomp {
	int mode; /* 0: no filter */
};

/* As the kernel's task_struct: what only this program looks at. */
struct task_struct___calls {
	struct thread_info thread_info;
	unsigned int ptrace;
	struct task_struct *parent; /* of one that is traced: its tracer */
	struct seccomp seccomp;
};

#pragma clang attribute pop

/* Whether filters get to see system calls of probes. */
const volatile bool filters_apply = false;

static __always_inline bool is_filtered(struct task_struct___calls *task)
{
	return filters_apply && bpf_core_field_exists(task->seccomp) && task->seccomp.mode;
}

static __always_inline bool is_dispatched(struct task_struct___calls *task)
{
	if (!bpf_core_enum_value_exists(enum syscall_work_bit,
					SYSCALL_WORK_BIT_SYSCALL_USER_DISPATCH) ||
	    !bpf_core_field_exists(task->thread_info.syscall_work))
		return false; /* before Linux 5.11 */
	return task->thread_info.syscall_work >>
		       bpf_core_enum_value(enum syscall_work_bit,
					   SYSCALL_WORK_BIT_SYSCALL_USER_DISPATCH) &
	       1;
}

SEC("iter/task")
int list_hindered(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_struct___calls *calls = (void *)task;
	struct cm_hindered told = {};

	if (!task)
		return 0;
	told.dispatched = is_dispatched(calls);
	if (calls->ptrace)
		told.tracer = calls->parent->tgid;
	told.filtered = is_filtered(calls);
	if (!told.dispatched && !told.tracer && !told.filtered)
		return 0;
	told.pid = task->tgid;
	bpf_seq_write(ctx->meta->seq, &told, sizeof(told));
	return 0;
}
