// SPDX-License-Identifier: Apache-2.0
#include "probed_memory.h"

// What the compiler for the kernel relocates is as this one lays it out.
#define __builtin_preserve_access_index(what) what
#define __builtin_preserve_field_info(...) 1
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

static const struct memory_part *parts;
static size_t parts_count;
static struct memory_part structures[2]; // the kernel's: of a task, and its list

static long read_parts(const struct memory_part *of, size_t count, void *to, __u32 size, const void *from)
{
	const __u64 at = (__u64)from;

	for (size_t i = 0; i < count; i++) {
		if (at < of[i].at || at - of[i].at + size > of[i].size)
			continue;
		__builtin_memcpy(to, (const char *)of[i].bytes + (at - of[i].at), size);
		return 0;
	}
	__builtin_memset(to, 0, size);
	return -14;
}

static long read_memory(void *to, __u32 size, const void *from)
{
	return read_parts(parts, parts_count, to, size, from);
}

static long read_kernel(void *to, __u32 size, const void *from)
{
	return read_parts(structures, 2, to, size, from) ? read_memory(to, size, from) : 0;
}

static void has(size_t number, const void *structure, size_t size)
{
	structures[number] = (struct memory_part){(__u64)structure, structure, size};
}

#define bpf_probe_read_user(to, size, from) read_memory(to, size, from)
#define bpf_probe_read_kernel(to, size, from) read_kernel(to, size, from)
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
	has(0, &task, sizeof(task));
	has(1, list, sizeof(list));
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

	parts_count = 0;
	has(0, &task, sizeof(task));
	undo_probe(&user, &task, false);
	return user.ip;
}
