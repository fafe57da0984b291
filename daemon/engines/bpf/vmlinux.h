/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0 */
#pragma once

/*
 * The kernel types that the programs look at, and of each only the members they use. CO-RE relocates every access to the
 * running kernel's own layout, so nothing here depends on the machine that builds.
 */

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
typedef int pid_t;

enum { false = 0, true = 1 };

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_STACK = 23,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum {
	BPF_ANY = 0,
	BPF_F_NO_PREALLOC = 1,
	BPF_F_MMAPABLE = 1024,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
	BPF_RB_NO_WAKEUP = 1,
};

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

struct bpf_perf_event_data {
	struct pt_regs regs;
	__u64 sample_period;
	__u64 addr;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

struct list_head {
	struct list_head *next;
};

struct signal_struct {
	atomic_t live;
	struct list_head thread_head;
	unsigned long long sum_sched_runtime;
};

struct sched_entity {
	__u64 sum_exec_runtime;
};

struct sched_info {
	unsigned long long run_delay;
	unsigned long long last_arrival;
	unsigned long long last_queued;
};

struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

struct mm_struct {
	struct uprobes_state uprobes_state;
};

struct bpf_run_ctx {};

struct bpf_session_run_ctx {
	struct bpf_run_ctx run_ctx;
	bool is_return;
};

struct bpf_uprobe {
	__u64 cookie;
};

struct bpf_uprobe_multi_run_ctx {
	struct bpf_session_run_ctx session_ctx;
	struct bpf_uprobe *uprobe;
};

struct task_struct {
	struct bpf_run_ctx *bpf_ctx;
	struct pid *thread_pid;
	const struct cred *cred;
	pid_t pid;
	pid_t tgid;
	struct mm_struct *mm;
	struct uprobe_task *utask;
	struct signal_struct *signal;
	struct list_head thread_node;
	struct sched_entity se;
	struct sched_info sched_info;
	unsigned int __state;
	int on_cpu;
	__u64 start_time;
	__u64 start_boottime;
	char comm[16];
};

struct super_block {
	__u32 s_dev;
};

struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
};

struct file {
	struct inode *f_inode;
};

struct linux_binprm {
	struct file *file;
};

#pragma clang attribute pop
