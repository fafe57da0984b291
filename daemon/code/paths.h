// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "code/graph.h"
#include "code/memory.h"
#include "code/scan.h"

namespace compmond::code {

// Everything that control can reach in one function.
struct Paths {
  Graph graph;
  std::vector<elf::Image::Range> stretches;  // of code that were followed: the body comes first
  std::vector<ExitSite> exits;               // by address
  bool complete = false;                     // `exits` are all there are
  std::string reason;                        // why not
  bool stray = false;  // some path leads where scanning cannot see, perhaps back into the function
  bool restarts = false;  // a jump in the function leads to its first instruction
};

// Follows all paths of the function at [start, start+size) through its own body and the cold parts
// that it jumps to, and through code in them that only the unwinder reaches (landing pads).
Paths follow_paths(const Memory& memory, const Functions& functions, uint64_t start, uint64_t size);

}  // namespace compmond::code
