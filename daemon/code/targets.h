// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "code/memory.h"

namespace compmond::code {

// Whether a direct jump or call anywhere in an image's code may lead to an address. Those with
// 32-bit displacement are taken down once for the whole image, one bit per byte of code: every byte
// that could begin one counts as one, so none is missed. Short jumps reach 128 bytes only: the code
// around is decoded when asked.
class JumpTargets {
 public:
  JumpTargets(const Memory& memory, const Functions& functions);
  bool any_within(uint64_t after, uint64_t last) const;  // in (after, last]

 private:
  struct Map {
    elf::Image::Range range;
    std::vector<bool> hit;
  };
  void add_wide(uint64_t vaddr, uint64_t size);
  void add(uint64_t target);
  bool wide_within(uint64_t after, uint64_t last) const;
  bool short_within(uint64_t after, uint64_t last) const;

  const Memory& memory_;
  const Functions& functions_;
  std::vector<Map> maps_;
};

}  // namespace compmond::code
