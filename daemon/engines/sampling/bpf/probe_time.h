// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/*
 * Whether a thread that the timer hit was at work for a probe of the kernel: what probes cost, seen
 * from outside of them. In the kernel its way in tells, which the first return address on the
 * kernel's stack has, right below the registers of user mode. A hit that comes while interrupts are
 * off waits for them: at the way in it is counted all the same, at the way out the thread is
 * already behind the probe then, and only where that is the kernel's own code in the program it is
 * counted.
 */
#include "probed.h"

#define NR_URETPROBE 335
#define NR_UPROBE 336
#define ENTRY_CODE_BYTES 64			/* of one exception, aligned to as much */
#define SYSCALL_CODE_BYTES 0xb8			/* up to the return */
#define AFTER_UPROBE_CALL 0x050f00000150c0c7ull /* mov $336, %rax (its end); syscall */

/* Where the kernel's code of these names is; 0: there is none, or find_ways_in may not know. */
__u64 asm_exc_int3 = 0;
__u64 asm_exc_debug = 0;
__u64 entry_SYSCALL_64 = 0;
__u64 asm_fred_entrypoint_user = 0;

enum bpf_func_id___names {
	BPF_FUNC_kallsyms_lookup_name = 179, /* Linux 5.16 */
};

#define FIND(symbol)                                                                               \
	do {                                                                                       \
		static const char name[] = #symbol;                                                \
		if (bpf_kallsyms_lookup_name(name, sizeof(name), 0, &symbol))                      \
			symbol = 0;                                                                \
	} while (0)

/*
 * Run once, by user space, before any sample. External symbols (__ksym) would say the same, but for
 * them the list of all names is read (/proc/kallsyms), which takes a tenth of a second.
 */
SEC("syscall")
int find_ways_in(void *ctx)
{
	(void)ctx;
	if (!bpf_core_enum_value_exists(enum bpf_func_id___names, BPF_FUNC_kallsyms_lookup_name))
		return 0;
	FIND(asm_exc_int3);
	FIND(asm_exc_debug);
	FIND(entry_SYSCALL_64);
	FIND(asm_fred_entrypoint_user);
	return 0;
}

/* Whether that can be told: the kernel names these, and enters by them. */
volatile bool sees_probes = false;
volatile bool enters_otherwise = false;

static __always_inline bool at_probe(const struct pt_regs *user)
{
	__u64 before = 0;

	if (user->ip >= PROBE_PAGE && user->ip < PROBE_PAGE + 4096)
		return true;
	return !bpf_probe_read_user(&before, sizeof(before), (void *)(user->ip - 8)) &&
	       before == AFTER_UPROBE_CALL;
}

static __always_inline bool in_probe(struct task_struct *task, const struct pt_regs *user,
				     struct uprobe_task *probed, bool in_kernel)
{
	__u64 way_in = 0, regs = bpf_task_pt_regs(task);
	__s64 call = (__s64)user->orig_ax;

	sees_probes = asm_exc_int3 && asm_exc_debug && entry_SYSCALL_64 && !enters_otherwise;
	if (!probed)
		return false;
	if (BPF_CORE_READ(probed, active_uprobe))
		return true;
	if (!in_kernel)
		return at_probe(user);
	if (bpf_probe_read_kernel(&way_in, sizeof(way_in), (void *)(regs - sizeof(way_in))))
		return false;
	if (way_in - asm_exc_int3 < ENTRY_CODE_BYTES || way_in - asm_exc_debug < ENTRY_CODE_BYTES)
		return true;
	if (asm_fred_entrypoint_user && way_in - asm_fred_entrypoint_user < ENTRY_CODE_BYTES)
		enters_otherwise = true;
	/* While it works for a probe, the number of the system call is gone. */
	return way_in - entry_SYSCALL_64 < SYSCALL_CODE_BYTES &&
	       (call == -1 || call == NR_URETPROBE || call == NR_UPROBE);
}
