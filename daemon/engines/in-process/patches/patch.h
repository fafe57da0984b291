// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/words.h"
#include "code/scan.h"

// Where jumps that are written into a program's code would lead out of its functions, to be told of
// entries and exits; and why they cannot.
namespace compmond::inprocess {

enum class PatchKind : uint8_t {
  kBehindFirst,  // an entry: a jump behind the first instruction, at which others may put a probe
  kFirst,        // at the first instruction
  kFirstCall,    // the function's first call leads elsewhere first
  kShortEntry,   // a short jump to five bytes of padding, which lead on
  kReturn,       // an exit: a return, and the padding behind it
  kReturnWithPreceding,  // a return, and instructions before it
  kTailJump,
  kShortExit,  // as kShortEntry
};
constexpr auto words(PatchKind) {
  return word_table<PatchKind>({{PatchKind::kBehindFirst, "behind-first"},
                                {PatchKind::kFirst, "first"},
                                {PatchKind::kFirstCall, "first-call"},
                                {PatchKind::kShortEntry, "short-entry"},
                                {PatchKind::kReturn, "return"},
                                {PatchKind::kReturnWithPreceding, "return-with-preceding"},
                                {PatchKind::kTailJump, "tail-jump"},
                                {PatchKind::kShortExit, "short-exit"}});
}

// Bytes that are written over, and what they did.
struct Patch {
  // An instruction that is done elsewhere instead.
  struct Moved {
    uint64_t vaddr = 0;
    uint8_t length = 0;
    bool exit = false;  // it leaves the function: where it does, the call has ended
  };
  static constexpr uint8_t kJump = 5, kShortJump = 2;  // bytes

  PatchKind kind = PatchKind::kFirst;
  uint64_t at = 0;           // the first byte, as in the file, before relocation
  uint8_t size = kJump;      // bytes written there, or kShortJump
  uint64_t springboard = 0;  // of a short jump: where kJump bytes of padding are
  // Of an entry: how far %rsp is below where it points when the function is called.
  uint8_t depth = 0;
  // In order; the first begins at `at`, and the last is followed by what goes on in its place. Of
  // kFirstCall the call alone, which goes on where it led.
  std::vector<Moved> moved;

  uint64_t end() const { return moved.back().vaddr + moved.back().length; }
  bool moves(uint64_t vaddr) const { return vaddr >= at && vaddr < end(); }
};

// What is asked of one function's patches.
struct Asked {
  bool exits = true;  // its exits are told of as well
  bool moves = true;  // the entry's jump may be behind other instructions
  // General registers whose values are told of with the entry, and must be as the caller left them
  // there: numbers as instructions have them, below 16.
  std::vector<uint8_t> values;
};

// All of one function: its entry first, then its exits by address, where the entry does not hold
// them. Or why there are none.
struct FunctionPatches {
  std::vector<Patch> patches;
  std::vector<uint8_t> values;        // as asked
  std::vector<code::ExitSite> exits;  // by address; none where they were not asked for
  std::string refusal;                // for people; empty: none
  bool refused() const { return !refusal.empty(); }
};

}  // namespace compmond::inprocess
