// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/* Which processes are observed, and how that changes when they fork and execute programs. */
#include "vmlinux_identity.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* Knobs, set before loading. */
/* The observed programs: a target that executes another file is none any more. The first one 0: it
 * stays one. */
#define EXES 16
const volatile __u64 exe_inodes[EXES] = {};
const volatile __u32 exe_devs[EXES] = {}; /* their devices, as the kernel has them; 0: any */
const volatile bool all_of_exe = false;	  /* observe every process that executes the program */
/* Of these only what exe_user executes, in this pid namespace, in this cgroup or below; 0: in any.
 */
const volatile bool of_user = false;
const volatile __u32 exe_user = 0;
const volatile __u32 exe_pid_namespace = 0;
const volatile __u64 exe_cgroup = 0;
const volatile bool follow_forks = true;

/* Processes to observe, by tgid: the time since when (CLOCK_MONOTONIC, ns). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} targets SEC(".maps");

static __always_inline __u64 *target_of(__u32 tgid)
{
	return bpf_map_lookup_elem(&targets, &tgid);
}

/* How often a process that should be observed found no place there. */
volatile __u64 without_place = 0;

static __always_inline bool add_target(__u32 tgid)
{
	__u64 now = bpf_ktime_get_ns();

	if (!bpf_map_update_elem(&targets, &tgid, &now, BPF_ANY))
		return true;
	__sync_fetch_and_add(&without_place, 1);
	return false;
}

static __always_inline void remove_target(__u32 tgid)
{
	bpf_map_delete_elem(&targets, &tgid);
}

/* At a fork: whether it makes a new process to observe. */
static __always_inline bool target_forks(struct task_struct *parent, struct task_struct *child)
{
	if (parent->tgid == child->tgid || !follow_forks || !target_of(parent->tgid))
		return false;
	return add_target(child->tgid);
}

#define CGROUP_LEVELS 64 /* of folders below each other; deeper ones are not looked for */

static __always_inline bool in_exe_cgroup(void)
{
	int level;
	__u64 id;

	for (level = 0; level < CGROUP_LEVELS; level++) {
		id = bpf_get_current_ancestor_cgroup_id(level);
		if (!id)
			return false;
		if (id == exe_cgroup)
			return true;
	}
	return false;
}

static __always_inline __u32 pid_namespace_of(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level);
	struct upid own;

	/* The last of `numbers`, one per namespace that it is in. */
	if (bpf_probe_read_kernel(&own, sizeof(own),
				  (void *)pid + bpf_core_field_offset(pid->numbers) +
					  level * bpf_core_type_size(struct upid)))
		return 0;
	return BPF_CORE_READ(own.ns, ns.inum);
}

/* Whether a process that executes the program, the current one, is one of those that are meant. */
static __always_inline bool admitted(struct task_struct *task)
{
	if (of_user && BPF_CORE_READ(task, cred, euid.val) != exe_user)
		return false;
	if (exe_pid_namespace && pid_namespace_of(task) != exe_pid_namespace)
		return false;
	return !exe_cgroup || in_exe_cgroup();
}

static __always_inline bool is_program(struct linux_binprm *bprm)
{
	struct inode *inode = BPF_CORE_READ(bprm, file, f_inode);
	__u64 number = BPF_CORE_READ(inode, i_ino);
	__u32 device = BPF_CORE_READ(inode, i_sb, s_dev);
	int i;

	for (i = 0; i < EXES && exe_inodes[i]; i++)
		if (number == exe_inodes[i] && (!exe_devs[i] || device == exe_devs[i]))
			return true;
	return !exe_inodes[0];
}

/* At an exec, which may make a target of a process or end that: whether it is one afterwards. */
static __always_inline bool target_execs(struct task_struct *task, struct linux_binprm *bprm)
{
	if (!is_program(bprm)) {
		remove_target(task->tgid);
		return false;
	}
	if (target_of(task->tgid))
		return true;
	if (!all_of_exe || !admitted(task))
		return false;
	return add_target(task->tgid);
}
