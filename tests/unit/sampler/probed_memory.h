// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

// The code of daemon/engines/sampling/bpf/probed.h, on memory as a test has it.
#ifdef __cplusplus
extern "C" {
#endif

struct memory_part {
  uint64_t at;
  const void* bytes;
  size_t size;
};

struct probed_return {  // of a list, or as a sample has it: innermost first
  uint64_t slot, address;
};

struct probed_thread {
  uint64_t registers[17];  // of user mode, in DWARF's order
  uint64_t kernel_sp;
  const struct probed_return* list;
  uint32_t list_size;
  const struct memory_part* memory;  // of program and kernel
  size_t memory_parts;
};

// How many returns a sample of it would have; they are in `to`.
uint32_t copied_returns(const struct probed_thread* thread, struct probed_return to[65]);

// Where it would be said to be: at `ip`, while the kernel has these addresses of its probe.
// `active`: and says that it is at work for one.
uint64_t undone_ip(uint64_t ip, uint64_t vaddr, uint64_t xol_vaddr, int active);

#ifdef __cplusplus
}
#endif
