// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/memory.h"
#include "patches/patch.h"
#include "trampolines/trampolines.h"

namespace compmond::inprocess {

// What Trampolines make of one function, at no place yet: made where files are read, put to its
// place by who reads none. Plain values.
struct PortableCode {
  struct Change {
    uint64_t vaddr = 0;
    uint8_t size = Patch::kJump;  // or Patch::kShortJump, which stays as it is
    std::array<uint8_t, Patch::kJump> before{}, after{};
  };
  struct Twin {
    uint64_t vaddr = 0;
    uint32_t at = 0;  // in `code`
  };
  std::vector<uint8_t> code;
  std::vector<Trampolines::Fixup> fixups;
  std::vector<Site> sites;      // numbers in `code` are from 0
  std::vector<Change> changes;  // in the order in which they have to be there
  std::vector<Twin> twins;
  std::vector<Trampolines::Stretch> stretches;  // `at` in `code`, `original` a vaddr
};

// Nothing where it would not reach itself, in a file of more than 2 GiB.
std::optional<PortableCode> portable(const code::Memory& memory, const FunctionPatches& patches);

// For the way from one process to another. Nothing where it is none: all offsets are within it.
std::string packed(const PortableCode& code);
std::optional<PortableCode> unpacked(std::string_view bytes);

// At its place: bytes for there, and for the image. Nothing where that is out of reach (2 GiB).
struct PlacedCode {
  std::vector<uint8_t> code;
  struct Change {
    uint64_t at = 0;  // address
    uint8_t size = 0;
    std::array<uint8_t, Patch::kJump> before{}, after{};
  };
  std::vector<Change> changes;
  std::vector<Trampolines::Twin> twins;
  std::vector<Trampolines::Stretch> stretches;
};
std::optional<PlacedCode> placed(const PortableCode& code, const Trampolines::Place& place);

}  // namespace compmond::inprocess
