// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "patient/address_space.h"
#include "surgery/patching.h"
#include "surgery/process_memory.h"

// What a patched process itself holds of how it was: in memory that it may only read, so that it
// can be put back when all of compmond is gone. Whoever holds the process can have written it: it
// is used in that process alone.
namespace compmond::inprocess {

// Who puts it back while it lives.
struct UndoOwner {
  uint64_t start_ticks = 0;  // as in /proc/PID/stat
  pid_t pid = 0;
  static UndoOwner self();
  bool lives() const;
  auto operator<=>(const UndoOwner&) const = default;  // who was first
};

struct UndoArea {
  uint64_t at = 0, size = 0;
};

struct UndoHeader {
  static constexpr std::array<char, 16> kMagic = {'c', 'o', 'm', 'p', 'm', 'o', 'n', 'd',
                                                  ' ', 'u', 'n', 'd', 'o', ' ', '1', '\n'};
  static constexpr size_t kAreas = 64;
  std::array<char, 16> magic = kMagic;
  UndoOwner owner;
  UndoArea shared;                      // memory that it shares with us
  uint64_t areas = 0, changes = 0;      // so many
  std::array<UndoArea, kAreas> area{};  // of code
};

// Follows the header, as often as that says.
struct UndoChange {
  uint64_t at = 0;
  uint32_t function = 0;
  uint8_t size = 0;
  std::array<uint8_t, 5> before{}, after{};
  static UndoChange of(const CodeChange& change);
  CodeChange change() const;
};

struct Undo {
  static constexpr uint64_t kBytes = 16 << 20;  // reserved; what is written is there
  static constexpr uint64_t kChanges = (kBytes - sizeof(UndoHeader)) / sizeof(UndoChange);
  static constexpr uint64_t at_of(uint64_t undo, uint64_t change) {
    return undo + sizeof(UndoHeader) + change * sizeof(UndoChange);
  }

  uint64_t at = 0;
  UndoHeader header;
  // All that a process has, each sound as far as can be seen.
  static std::vector<Undo> find(const AddressSpace& space, const ProcessMemory& memory);
  // Empty: it cannot be read.
  std::vector<UndoChange> changes(const ProcessMemory& memory) const;
};

}  // namespace compmond::inprocess
