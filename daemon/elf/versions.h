// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/elf_file.h"

namespace compmond::elf {

// The symbol versions of .dynsym: .gnu.version, .gnu.version_d (defined here) and .gnu.version_r
// (asked of others).
class Versions {
 public:
  // Empty when the file has none.
  static Result<Versions> read(const ElfFile& file);

  struct Version {
    std::string_view name;  // empty: unversioned
    bool hidden = false;    // name@VERSION, not name@@VERSION
  };
  // Of the symbol at `index` of .dynsym. Valid as long as this object.
  Version of(size_t index) const;

 private:
  struct Table {
    const std::string& name;  // of its section
    Bytes entries, strings;
  };
  Result<void> read_defined(const ElfFile& file, const Table& table);
  Result<void> read_needed(const ElfFile& file, const Table& table);
  void set(uint16_t index, std::string_view name);

  std::vector<uint16_t> indices_;   // per symbol
  std::vector<std::string> names_;  // per version index
};

}  // namespace compmond::elf
