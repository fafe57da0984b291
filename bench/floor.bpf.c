// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
/*
 * Programs that do nothing: what the kernel alone takes per observed call, the floor under every tool that uses it; and one
 * that reads the clock, the floor under every tool that tells times.
 */
#include "../daemon/engines/bpf/vmlinux.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* At entry and return. */
SEC("kprobe")
int on_session(struct pt_regs *ctx)
{
	return 0;
}

/* At entry and return, each of which reads the clock. */
SEC("kprobe")
int on_session_clock(struct pt_regs *ctx)
{
	bpf_ktime_get_ns();
	return 0;
}

/* At one place. */
SEC("kprobe")
int on_place(struct pt_regs *ctx)
{
	return 0;
}
