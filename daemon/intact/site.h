// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "plan/way.h"

// Whether the code that processes execute is what their files hold: a probe of the kernel executes
// the file's instruction, whatever stands in memory in its place.
namespace compmond::intact {

// What stands in a file where a probe is, or is to be.
struct Site {
  uint64_t offset = 0;    // of the first byte
  std::string bytes;      // up to the end of the probed instruction
  uint32_t probe_at = 0;  // in these: the probed instruction
  bool written = false;   // no probe: whoever observes it wrote over these
};

template <class Archive>
void fields(Archive& archive, const Site& s) {
  archive(s.offset, s.bytes, s.probe_at, s.written);
}
template <class Archive>
void fields(Archive& archive, Site& s) {
  archive(s.offset, s.bytes, s.probe_at, s.written);
}

// Of a function: from its first instruction to the place of the entry, and at each exit; of one
// whose code is written over, where that is. None where no probe is placed, or the file cannot be
// read there.
std::vector<Site> sites_of(const plan::Way& way, const Fd& file);

// What stands in memory there, from the best to the worst.
enum class Found : uint8_t {
  kUnknown,  // not mapped, or it may not be looked at
  kProbed,   // the file's bytes but for a breakpoint, or the jump that the kernel makes of one;
             // other bytes, where some were written
  kAsFile,
  kWritable,    // likewise, and mapped for writing: the kernel places no probe there
  kShared,      // likewise, and mapped shared: no more there
  kElsewhere,   // the file is mapped, but for this: its code was moved to other memory
  kUnreadable,  // nobody may read it: whether a probe stands is not known either
  kOther,       // somebody changed it
};

struct Range {
  uint64_t start = 0, end = 0;
};

// `memory` lies at `address` in a process in which the kernel's code for probes lies at
// `trampolines`. Breakpoints beside the site's own are as the file: others probe, too.
Found compare(const Site& site, std::string_view memory, uint64_t address,
              std::span<const Range> trampolines);

}  // namespace compmond::intact
