// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampling/unwinder.h"
#include "walk/address_space.h"
#include "walk/code_info.h"

namespace compmond::unwind {

constexpr size_t kFrames = 510;  // of a stack; deeper ones are truncated

// Who called whom, by call frame information. The rules:
// * A caller is looked up one before its return address; the first frame, and one that a signal
//   interrupted, where it stands.
// * A preserved register whose slot lies below the stack pointer was taken back from there: it is
//   unchanged. (Compilers leave the old row over an epilogue.)
// * CFAs grow, except across a signal, which may have come in on another stack.
// * Complete: a frame without a return address, or with 0; one whose code bare_code.h knows for a
//   thread's first; the process's entry, by what the kernel laid on the stack above it; a return
//   address in front of which nothing is known and no call stands, and at which a function begins
//   (stacks that makecontext() made); code of a file without a row, with 0 for a frame pointer,
//   which marks the first frame in the psABI.
// * Where no row is known: what bare_code.h knows; else what the code takes off the stack until it
//   returns (code_row.h), where that leads behind a call.
// * Else, also in code of no file: callers have frame pointers, as most compilers at run time
//   leave them. That is a guess, so a stack that such a step does not lead to its first frame is
//   broken.
// * What lies above the copied bytes is missing: truncated. So is a stack behind a signal that is
//   not among them.
// * A thread at a trap that its file has in front of a function (linkers fill gaps so) is at the
//   function: the trap was taken for that of a probe (engines/sampling/bpf/probed.h).
// * Code that the kernel laid there for its probes is no frame (probe_code.h), and return addresses
//   that probes took are those of the sample's list. What is not among them: broken.
// A frame in a file that cannot be read has the address 0, and its stack is broken.
// `out` is overwritten. `space` may be null.
void walk(const sampling::RawSample& sample, const AddressSpace* space, CodeInfo& code,
          sampling::Walked& out);

}  // namespace compmond::unwind
