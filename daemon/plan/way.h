// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "code/scan.h"
#include "elf/image.h"
#include "spec/model.h"

namespace compmond::plan {

// A place at which a function is left.
struct ExitPlace {
  uint64_t offset = 0;                         // in the file
  int8_t condition = code::ExitSite::kAlways;  // as there
  bool cheap = false;                          // a probe there costs less than one at a return
  uint64_t target = 0;       // where a jump there leads, as in the file; 0: it is none, or unknown
  bool to_observed = false;  // to a function of the plan, which goes on in its place
};

// Bytes of a function's code that an engine would write over.
struct CodePatch {
  std::string kind;           // in the engine's words
  uint64_t offset = 0;        // of the first, in the file
  uint32_t bytes = 0;         // so many, with those elsewhere that these need to get further
  uint32_t instructions = 0;  // that would be executed elsewhere instead
  uint32_t moved_bytes = 0;   // which these have
  uint32_t exits = 0;         // of these, those by which the function is left
};

// What probes see of calls: entries and ends, or entries alone, which cost less.
enum class See : uint8_t { kCalls, kEntries };

// How one engine would observe one function, decided from the function's code alone.
struct Way {
  std::string engine;  // its name
  bool refused = false;
  std::string reason;  // why refused; else what a reader should know ("ret-sites: C++ can throw")

  spec::ExitMode exit = spec::ExitMode::kReturnProbe;  // how its end is seen; never kAuto
  std::string site;  // kind of the entry's place, in the engine's words: costs go by it and `exit`
  uint64_t moved_by = 0;         // bytes from the function's first instruction to that place
  uint64_t entry_offset = 0;     // of that place, in the file
  std::vector<ExitPlace> exits;  // for kRetSites
  // Of an engine that writes into the function's code: that for the entry first, then those for the
  // exits that it does not hold, by address.
  std::vector<CodePatch> patches;
  std::string prepared;  // likewise: what it will write, in its own form
  // Its probes make system calls in the target, and were chosen since those arrive.
  bool needs_calls = false;
  // It was chosen since none of the target's images does it harm; and what of the function, for
  // people, reading cannot name, so that code of images that come later may throw through it: empty
  // where there is nothing of that kind.
  bool trusts_images = false;
  std::string opening;
  bool may_tail_call = true;  // may end in a jump to another function, its return still open
  // Of an engine that places nothing and knows a function by its code when it meets it on a stack:
  // as in the file, before relocation, cold parts included.
  std::vector<elf::Image::Range> code;
  // Of such a one: it is known to end, on some path, in a jump to another function, so that it is
  // on no stack while that one runs.
  bool ends_in_jump = false;

  bool writes_code() const { return !patches.empty(); }
  bool sampled() const { return !code.empty(); }  // no call is seen, and all above says nothing
  // Whether single executions have times.
  bool timed() const { return exit != spec::ExitMode::kEntryOnly && !sampled(); }
};

// Of two texts for people, of which each may be empty.
inline std::string joined(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : "; ") + second;
}

}  // namespace compmond::plan
