// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
/*
 * Samples of observed processes: what they do when a timer hits on their CPU, and what they wait
 * for (waits.h, looks.h). Which processes these are is kept here as well (processes.h).
 */
#include "take.h"
#include "processes.h"
#include "looks.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("perf_event")
int on_timer(struct bpf_perf_event_data *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct moment moment = {.kind = CM_ON_CPU};

	if (!sampling)
		return 0;
	if (!tgid || !target_of(tgid))
		return 0;
	if (keep != ~0u && bpf_get_prandom_u32() > keep)
		return 0;
	moment.time_ns = bpf_ktime_get_ns();
	if ((__s64)ctx->regs.ip < 0) {
		moment.kernel_ip = ctx->regs.ip;
		moment.kernel_sp = ctx->regs.sp;
	}
	take(&moment, bpf_get_current_task_btf(), false);
	ADD(samples_ns, bpf_ktime_get_ns() - moment.time_ns);
	return 0;
}
