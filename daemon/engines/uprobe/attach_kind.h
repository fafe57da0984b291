// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/words.h"

namespace compmond::uprobe {

// How probes hang in the kernel, best first. Decides which programs are loaded and which links
// probes make.
enum class AttachKind : uint8_t {
  kSession,    // one program at entry and return, many symbols per link: kernel 6.13
  kMulti,      // two programs, many symbols per link: kernel 6.6
  kPerSymbol,  // perf events, one link per symbol: any kernel, but detaching takes 0.1 s per symbol
};
inline constexpr std::array kAttachKinds = {AttachKind::kSession, AttachKind::kMulti,
                                            AttachKind::kPerSymbol};

constexpr auto words(AttachKind) {
  return word_table<AttachKind>({{AttachKind::kSession, "session"},
                                 {AttachKind::kMulti, "multi"},
                                 {AttachKind::kPerSymbol, "per-symbol"}});
}

// Whether a return probe that is placed for all processes replaces return addresses in all of them:
// a session asks its program first.
constexpr bool returns_reach_all(AttachKind kind) { return kind != AttachKind::kSession; }

// Descriptors of the loaded probe programs, borrowed from who loaded them; -1 where the kind needs
// none.
struct ProbePrograms {
  int session = -1;
  int entry = -1, ret = -1;  // with return probes, as two programs
  int entry_plain = -1;      // entry without return probe
  int exit_site = -1;        // at an instruction that leaves a function
  int transfer = -1;         // at the entry of what transfers control
};

}  // namespace compmond::uprobe
