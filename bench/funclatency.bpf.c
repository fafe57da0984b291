// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
/* What tools that measure one function's latency do: the start in a hash map keyed by thread, a histogram of powers of two. */
#include "../daemon/engines/bpf/vmlinux.h"
#include <bpf/bpf_helpers.h>

#define MAX_THREADS 10240
#define SLOTS 64

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_THREADS);
	__type(key, __u32);
	__type(value, __u64);
} starts SEC(".maps");

__u64 histogram[SLOTS];

SEC("uprobe")
int on_entry(struct pt_regs *ctx)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	__u64 now = bpf_ktime_get_ns();

	bpf_map_update_elem(&starts, &tid, &now, BPF_ANY);
	return 0;
}

SEC("uretprobe")
int on_return(struct pt_regs *ctx)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid(), slot = 0;
	__u64 *start = bpf_map_lookup_elem(&starts, &tid), rest;

	if (!start)
		return 0;
	rest = bpf_ktime_get_ns() - *start;
	bpf_map_delete_elem(&starts, &tid);
	for (int step = 32; step > 0; step /= 2) {
		if (rest >> step) {
			rest >>= step;
			slot += step;
		}
	}
	__sync_fetch_and_add(&histogram[slot & (SLOTS - 1)], 1);
	return 0;
}
