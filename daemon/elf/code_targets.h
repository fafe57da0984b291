// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "elf/code_memory.h"

namespace compmond::elf::code {

// All addresses that direct jumps and calls anywhere in an image's code may lead to: a superset for jumps with 32-bit
// displacement (every byte that could begin one is taken for one), and those of short jumps as a linear decoding,
// restarted at every symbol, finds them. One bit per byte of code. Making it takes about 10 ms per MiB.
class JumpTargets {
 public:
  JumpTargets(const Memory& memory, const Functions& functions);
  bool any_within(uint64_t after, uint64_t last) const;  // in (after, last]

 private:
  struct Map {
    Image::Range range;
    std::vector<bool> hit;
  };
  void sweep(const std::vector<uint8_t>& bytes, uint64_t vaddr, const Functions& functions);
  void add_wide(const std::vector<uint8_t>& bytes, uint64_t vaddr);
  void add(uint64_t target);
  std::vector<Map> maps_;
};

}  // namespace compmond::elf::code
