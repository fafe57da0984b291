// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/*
 * What probes of the kernel, whosever they are, do to a thread: a return address gives way to the
 * kernel's own, and a probed instruction is executed out of line. Only the thread itself changes
 * its struct uprobe_task, so that of the current one stands still, whatever a timer interrupts, and
 * that of another as long as it is not on a CPU. What is read amiss all the same (up to Linux 6.12
 * instances are freed just before they leave the list) faults nothing, and fits no slot of a stack.
 */
#include "callers.h"

/*
 * These are read by BPF_CORE_READ alone: of each pointer that a program loads directly from a
 * structure the verifier asks whether it may be trusted, for which newer kernels look through all
 * names of their types several times, some milliseconds on each path to the load.
 */
struct return_instance {
	unsigned long stack; /* the stack pointer at entry: the return address's slot */
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
} __attribute__((preserve_access_index));

struct uprobe_task {
	struct return_instance *return_instances; /* innermost first */
	void *active_uprobe; /* whose instruction is executed at xol_vaddr in place of vaddr */
	unsigned long vaddr, xol_vaddr;
} __attribute__((preserve_access_index));

#define RETURN_BYTES (CM_RETURNS * sizeof(struct cm_return))
#define INT3 0xcc
#define LONGEST_INSTRUCTION 15

/* None of a thread that never hit a probe. */
static __always_inline struct uprobe_task *probed(struct task_struct *task)
{
	return bpf_core_field_exists(task->utask) ? BPF_CORE_READ(task, utask) : 0;
}

/* Whether the top of the stack is what a push of one byte leaves there. */
static __always_inline bool pushed(const struct pt_regs *user)
{
	unsigned long top = 0;

	if (bpf_probe_read_user(&top, sizeof(top), (void *)user->sp))
		return false;
	return top == user->bp || top == user->bx || top == user->di || top == user->si ||
	       top == user->ax || top == user->cx || top == user->dx;
}

/*
 * Where the thread would be without its probe. `trapped`: it may be in a trap, which is behind its
 * byte until the kernel steps back. Many are seen there, since interrupts and other threads had to
 * wait for that moment. A push that is emulated already ends there, too. (Whether the byte is a
 * probe's, or the file's own in front of a function, the file tells: see unwind/walk/walker.cpp.)
 */
static __always_inline void undo_probe(struct pt_regs *user, struct uprobe_task *probed,
				       bool trapped)
{
	unsigned long copy = BPF_CORE_READ(probed, xol_vaddr), done = user->ip - copy;
	__u8 code = 0;

	if (copy && done <= LONGEST_INSTRUCTION) { /* active_uprobe is set later */
		user->ip = BPF_CORE_READ(probed, vaddr) + done;
		return;
	}
	if (BPF_CORE_READ(probed, active_uprobe) || !trapped || (__s64)user->orig_ax != -1)
		return;
	if (!bpf_probe_read_user(&code, sizeof(code), (void *)(user->ip - 1)) && code == INT3 &&
	    !pushed(user))
		user->ip--;
}

/* How many there are. `sp`: of user mode. `kernel_sp`: of the current thread, in the kernel; else
 * 0. */
static __always_inline __u32 copy_returns(struct cm_return *to, struct uprobe_task *probed,
					  const struct cm_sample *sample, __u64 sp, __u64 kernel_sp)
{
	struct return_instance *from = BPF_CORE_READ(probed, return_instances);
	__u64 taken = 0, slot = sp,
	      innermost = BPF_CORE_READ(from, stack); /* 0 where there is none */
	__u32 i = 0;

	if (kernel_sp && sample->registers[CM_REGISTERS - 1] == PROBE_PAGE + RETURN_CALL) {
		slot = sp + RETURN_SLOT;
		/* of the list until handed back, by when the slot is below the stack pointer */
		if (innermost != slot && innermost != sp - sizeof(slot))
			taken = find_given_back(kernel_sp, sample);
	} else if (kernel_sp && innermost != sp) {
		taken = find_taken(kernel_sp, sample);
	}
	if (taken) {
		to[0].slot = slot;
		to[0].address = taken;
		i = 1;
	}
	for (; i < CM_RETURNS && from; i++) {
		to[i].slot = BPF_CORE_READ(from, stack);
		to[i].address = BPF_CORE_READ(from, orig_ret_vaddr);
		from = BPF_CORE_READ(from, next);
	}
	return i;
}
