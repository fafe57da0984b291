// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "code/memory.h"

namespace compmond::code {

// The stretches of code that make up one function: its body and the cold parts found so far; and
// what other addresses are to it.
class Places {
 public:
  enum class Kind : uint8_t {
    kInside,    // in a stretch of this function, perhaps one that was just found
    kFunction,  // the start of another function, or its entry in the procedure linkage table
    kNameless,  // the start of a region without a symbol: a local function or a cold part
    kWithin,    // further inside such a region
    kEnd,       // the byte behind this function: only paths that are never taken lead there
    kForeign,   // the middle of another function
    kNowhere,   // no known code
  };

  Places(const Memory& memory, const Functions& functions, uint64_t start, uint64_t size);

  // A region without a symbol is not taken in by itself: see take_in.
  Kind classify(uint64_t vaddr);
  // Counts the region without a symbol that holds `vaddr` among this function's cold parts.
  void take_in(uint64_t vaddr);
  bool inside(uint64_t vaddr) const;
  bool ends_at(uint64_t vaddr) const;
  const std::vector<elf::Image::Range>& stretches() const { return stretches_; }

 private:
  elf::Image::Range region_around(uint64_t vaddr) const;

  const Memory& memory_;
  const Functions& functions_;
  CodeReader reader_;
  std::vector<elf::Image::Range> stretches_;
};

// Where the code at `vaddr` that is an entry of a procedure linkage table, by which calls leave for
// other images, has the address that it jumps to; nullopt: it is something else.
std::optional<uint64_t> linkage_slot(CodeReader& reader, uint64_t vaddr);

}  // namespace compmond::code
