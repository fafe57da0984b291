// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/* Threads that end, processes that fork and programs that are replaced: programs of tp_btf. */
#include "ends.h"
#include "threads.h"

/* Also threads that no probe saw say that they end, or execute a program: others may see their
 * calls.
 */
const volatile bool tell_all = false;

/* The slot of a thread that was observed before, or NULL. Never takes a new one. */
static __always_inline struct cm_slot *known_slot(struct task_struct *task,
						  struct thread_state **out)
{
	struct thread_state *state = bpf_task_storage_get(&threads, task, 0, 0);
	__u32 number;

	if (!state || state->choice < FIRST_SLOT)
		return 0;
	*out = state;
	number = state->choice - FIRST_SLOT;
	return bpf_map_lookup_elem(&slots, &number);
}

static __always_inline void end_slot(struct cm_slot *slot, struct thread_state *state)
{
	state->choice = UNKNOWN;
	cm_end(slot);
}

SEC("tp_btf/sched_process_exit")
int on_thread_exit(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct thread_state *state;
	struct cm_slot *slot;
	bool last = BPF_CORE_READ(task, signal, live.counter) == 0;
	__u64 *since;

	if (tell_all && recording && target_of(task->tgid))
		slot_of_current(task);
	slot = known_slot(task, &state);
	if (slot && recording) { /* afterwards user space counts no more: see LiveRun::stop */
		append(slot, bpf_ktime_get_ns(), last, 0, CM_THREAD_EXIT, 0);
		end_slot(slot, state);
	}
	since = last ? target_of(task->tgid) : 0;
	if (since) {
		tell_end(task, *since, false);
		remove_target(task->tgid);
	}
	return 0;
}

SEC("tp_btf/sched_process_fork")
int on_fork(__u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0];
	struct task_struct *child = (void *)ctx[1];
	struct cm_slot *slot;

	if (!target_forks(parent, child) || !recording)
		return 0;
	slot = slot_of_current(parent);
	if (slot)
		append(slot, bpf_ktime_get_ns(), child->tgid, 0, CM_FORK, 0);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int on_exec(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct linux_binprm *bprm = (void *)ctx[2];
	__u64 *since = target_of(task->tgid), since_ns = since ? *since : 0;
	bool was = since, is;
	struct thread_state *state;
	struct cm_slot *slot;

	if (tell_all && recording && was)
		slot_of_current(task);
	slot = known_slot(task, &state);
	if (slot && recording) {
		/* The old program's frames are gone; the thread may have a new tid and name. */
		append(slot, bpf_ktime_get_ns(), 0, 0, CM_EXEC, 0);
		end_slot(slot, state);
	}
	is = target_execs(task, bprm);
	if (was && !is)
		tell_end(task, since_ns, true);
	if (!is || !all_of_exe)
		return 0;
	state = bpf_task_storage_get(&threads, task, 0, 0);
	if (state)
		state->choice = UNKNOWN;
	if (!recording)
		return 0;
	slot = slot_of_current(task); /* announces the new process */
	if (slot)
		append(slot, bpf_ktime_get_ns(), 1, 0, CM_EXEC, 0);
	return 0;
}
