// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "code/insn.h"
#include "uprobe_sites/site.h"

namespace compmond::uprobe {

// How the kernel (arch/x86/kernel/uprobes.c, Linux 6.18) executes an instruction that a probe
// replaces.
struct KernelView {
  SiteKind site = SiteKind::kStepped;
  const char* refusal = nullptr;  // why no probe may sit there, for people; null: one may
};

// `bytes` begin with the instruction's. Stricter than the kernel where the kernel would emulate an
// instruction wrongly (AVX instructions whose opcode byte looks like a short jump, `xchg %rax,%r8`
// taken for a nop, prefixes that it takes for the opcode), and where single-stepping shows (pushf,
// repeated string instructions, xbegin).
KernelView kernel_view(const code::Insn& insn, std::span<const uint8_t> bytes);

}  // namespace compmond::uprobe
