// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/* Makes a sample of a thread: its registers of user mode and the used part of its stack. */
#include "probed.h"
#include "probe_time.h"

/* What is told of it beside them. */
struct moment {
	__u32 kind, state, in_probe;
	__u64 time_ns, kernel_ip, kernel_sp, off_ns, runnable_ns, weight_ns;
};

static __always_inline void copy_registers(struct cm_sample *to, const struct pt_regs *from)
{
	to->registers[0] = from->ax;
	to->registers[1] = from->dx;
	to->registers[2] = from->cx;
	to->registers[3] = from->bx;
	to->registers[4] = from->si;
	to->registers[5] = from->di;
	to->registers[6] = from->bp;
	to->registers[7] = from->sp;
	to->registers[8] = from->r8;
	to->registers[9] = from->r9;
	to->registers[10] = from->r10;
	to->registers[11] = from->r11;
	to->registers[12] = from->r12;
	to->registers[13] = from->r13;
	to->registers[14] = from->r14;
	to->registers[15] = from->r15;
	to->registers[16] = from->ip;
}

/* `asleep`: not the current thread; only where the program may sleep. */
static __always_inline bool copy_stack(void *to, __u32 bytes, __u64 from, struct task_struct *task,
				       const bool asleep)
{
	if (asleep)
		return !bpf_copy_from_user_task(to, bytes, (void *)from, task, 0);
	return !bpf_probe_read_user(to, bytes, (void *)from);
}

/*
 * Page by page, as each may be absent, which ends the copy. The stack's bytes stand in their page
 * as in memory, so that all lengths but the first are constants. The ring takes constant sizes
 * only.
 */
static __always_inline bool take_pages(const struct moment *moment, struct task_struct *task,
				       const struct pt_regs *user, const bool asleep,
				       const __u32 pages, const bool returns)
{
	const __u32 before = returns ? RETURN_BYTES : 0;
	struct cm_sample *sample = bpf_ringbuf_reserve(
		&samples, sizeof(struct cm_sample) + before + pages * CM_STACK_PAGE, 0);
	__u32 at = user->sp & (CM_STACK_PAGE - 1), bytes = 0, page;
	__u64 next = user->sp;
	char *stack;

	if (!sample) {
		COUNT(lost);
		return false;
	}
	stack = (char *)(sample + 1) + before;
	sample->kind = moment->kind;
	sample->stack_at = before + at;
	sample->pid = task->tgid;
	sample->tid = task->pid;
	sample->cpu = bpf_get_smp_processor_id();
	sample->state = moment->state;
	sample->returns = 0;
	sample->in_probe = moment->in_probe;
	sample->unused = 0;
	sample->time_ns = moment->time_ns;
	sample->kernel_ip = moment->kernel_ip;
	sample->off_ns = moment->off_ns;
	sample->runnable_ns = moment->runnable_ns;
	sample->weight_ns = moment->weight_ns;
	copy_registers(sample, user);
	if (copy_stack(stack + at, CM_STACK_PAGE - at, next, task, asleep)) {
		bytes = CM_STACK_PAGE - at;
		next += bytes;
		for (page = 1; page < pages; page++) {
			if (!copy_stack(stack + page * CM_STACK_PAGE, CM_STACK_PAGE, next, task,
					asleep))
				break;
			bytes += CM_STACK_PAGE;
			next += CM_STACK_PAGE;
		}
	}
	sample->stack_bytes = bytes < CM_STACK_BYTES ? bytes : CM_STACK_BYTES;
	if (returns)
		sample->returns = copy_returns((struct cm_return *)(sample + 1), probed(task),
					       sample, user->sp, moment->kernel_sp);
	if (asleep && task->on_cpu)
		sample->returns = 0;   /* maybe not those of this stack */
	bpf_ringbuf_submit(sample, 0); /* wakes its reader up where it is the only one */
	return true;
}

static __always_inline bool take_wanted(const struct moment *moment, struct task_struct *task,
					const struct pt_regs *user, const bool asleep, __u64 wanted,
					const bool returns)
{
	if (wanted <= 2 * CM_STACK_PAGE)
		return take_pages(moment, task, user, asleep, 2, returns);
	if (wanted <= 3 * CM_STACK_PAGE)
		return take_pages(moment, task, user, asleep, 3, returns);
	return take_pages(moment, task, user, asleep, 5, returns);
}

static __always_inline void take(struct moment *moment, struct task_struct *task, const bool asleep)
{
	struct pt_regs user;
	__u64 wanted = CM_STACK_BYTES, *top;
	struct uprobe_task *utask = probed(task);
	__u32 tid = task->pid;
	bool taken;

	if (bpf_probe_read_kernel(&user, sizeof(user), (void *)bpf_task_pt_regs(task)))
		return;
	if (moment->kind == CM_ON_CPU)
		moment->in_probe = in_probe(task, &user, utask, moment->kernel_ip != 0);
	if (utask)
		undo_probe(&user, utask,
			   moment->kind == CM_ON_CPU ? moment->kernel_ip != 0 : !asleep);
	top = bpf_map_lookup_elem(&stack_tops, &tid);
	if (top && *top > user.sp && *top - user.sp < wanted)
		wanted = *top - user.sp;
	wanted += user.sp & (CM_STACK_PAGE - 1);
	if (utask && (BPF_CORE_READ(utask, return_instances) || moment->kernel_sp))
		taken = take_wanted(moment, task, &user, asleep, wanted, true);
	else
		taken = take_wanted(moment, task, &user, asleep, wanted, false);
	if (!taken)
		return;
	if (moment->kind == CM_ON_CPU)
		COUNT(on);
	else
		COUNT(off);
}
