// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "bytes.h"

namespace compmond::fuzz {

// A function of a crafted program.
struct Crafted {
  enum class Kind : uint8_t {
    kSymbol,    // a symbol with a size
    kUnsized,   // a symbol without, and a frame description that has it
    kNameless,  // a frame description only
    kCold,      // a symbol: the cold part of the first function
    kCount,
  };
  uint64_t vaddr = 0;
  uint64_t size = 0;
  Kind kind = Kind::kSymbol;
};

// A well-formed ELF executable around arbitrary code. An input is: number of functions (u8), for
// each its offset and size (u16 each) and kind (u8); number of table words (u8) and these (u32
// each), for jump tables; the rest is the code.
struct CraftedElf {
  static constexpr uint64_t kText = 0x1000;    // where the code lies
  static constexpr uint64_t kTables = 0x8000;  // where the words lie
  static constexpr size_t kTextBytes = 4096;
  static constexpr size_t kFunctions = 8;

  explicit CraftedElf(Bytes input);

  std::vector<Crafted> functions;
  std::vector<uint8_t> text;
  std::vector<uint8_t> file;

 private:
  void lay_out(std::span<const uint8_t> tables);
};

}  // namespace compmond::fuzz
