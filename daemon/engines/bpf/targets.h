// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/* Which processes are observed, and how that changes when they fork and execute programs. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

/* Knobs, set before loading. */
/* The observed program: a target that executes another file is none any more. 0: it stays one. */
const volatile __u64 exe_inode = 0;
const volatile __u32 exe_dev = 0;	/* its device, as the kernel has it; 0: any */
const volatile bool all_of_exe = false; /* observe every process that executes the program */
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

static __always_inline void add_target(__u32 tgid)
{
	__u64 now = bpf_ktime_get_ns();

	bpf_map_update_elem(&targets, &tgid, &now, BPF_ANY);
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
	add_target(child->tgid);
	return true;
}

/* At an exec, which may make a target of a process or end that: whether it is one afterwards. */
static __always_inline bool target_execs(struct task_struct *task, struct linux_binprm *bprm)
{
	if (exe_inode && (bprm->file->f_inode->i_ino != exe_inode ||
			  (exe_dev && bprm->file->f_inode->i_sb->s_dev != exe_dev))) {
		remove_target(task->tgid);
		return false;
	}
	if (target_of(task->tgid))
		return true;
	if (!all_of_exe)
		return false;
	add_target(task->tgid);
	return true;
}
