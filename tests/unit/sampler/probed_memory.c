// SPDX-License-Identifier: Apache-2.0
#include "probed_memory.h"

// What the compiler for the kernel relocates is as this one lays it out.
#define __builtin_preserve_access_index(what) what
#define __builtin_preserve_field_info(...) 1
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

static const struct memory_part *parts;
static size_t parts_count;

static long read_memory(void *to, __u32 size, const void *from)
{
	const __u64 at = (__u64)from;

	for (size_t i = 0; i < parts_count; i++) {
		if (at < parts[i].at || at - parts[i].at + size > parts[i].size)
			continue;
		__builtin_memcpy(to, (const char *)parts[i].bytes + (at - parts[i].at), size);
		return 0;
	}
	return -14;
}

#define bpf_probe_read_user(to, size, from) read_memory(to, size, from)
#define bpf_probe_read_kernel(to, size, from) read_memory(to, size, from)
#include "probed.h"

uint32_t copied_returns(const struct probed_thread *thread, struct probed_return to[65])
{
	static struct cm_return copied[CM_RETURNS];
	struct return_instance list[CM_RETURNS] = {};
	struct uprobe_task task = {.return_instances = thread->list_size ? list : 0};
	struct cm_sample sample = {};
	uint32_t count;

	parts = thread->memory;
	parts_count = thread->memory_parts;
	for (uint32_t i = 0; i < thread->list_size; i++) {
		list[i].stack = thread->list[i].slot;
		list[i].orig_ret_vaddr = thread->list[i].address;
		list[i].next = i + 1 < thread->list_size ? &list[i + 1] : 0;
	}
	for (int i = 0; i < CM_REGISTERS; i++)
		sample.registers[i] = thread->registers[i];
	count = copy_returns(copied, &task, &sample, sample.registers[7], thread->kernel_sp);
	for (uint32_t i = 0; i < count; i++) {
		to[i].slot = copied[i].slot;
		to[i].address = copied[i].address;
	}
	return count;
}

uint64_t undone_ip(uint64_t ip, uint64_t vaddr, uint64_t xol_vaddr, int active)
{
	struct uprobe_task task = {.active_uprobe = active ? &task : 0, .vaddr = vaddr, .xol_vaddr = xol_vaddr};
	struct pt_regs user = {.ip = ip};
	static struct memory_part its;

	its.at = (__u64)&task;
	its.bytes = &task;
	its.size = sizeof(task);
	parts = &its;
	parts_count = 1;
	undo_probe(&user, &task, false);
	return user.ip;
}
