// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "walk/row.h"

struct Dwarf;
struct Dwarf_CFI_s;
struct Elf;

namespace compmond::unwind {

struct Decoded;

// One ELF file's call frame information: .eh_frame, and .debug_frame for what that leaves out. The
// headers are checked before a library sees them, the rest may be hostile: only a confined process
// opens other people's files. One thread.
class Module {
 public:
  // `file` must stay open; `path` is for messages. Without `rows`, only where its segments lie is
  // read. Exit::kData as elf::ElfFile.
  static Result<Module> open(const Fd& file, const std::string& path, bool rows = true);

  // The address, as in the file, of what lies at `offset` of the file; code first, where segments
  // share a page.
  std::optional<uint64_t> vaddr_of(uint64_t offset) const;
  // Slow (0.5 to 20 µs): to be kept by who asks.
  Row row_at(uint64_t vaddr);
  const Rules& rules(uint32_t number) const { return rules_[number]; }
  // Of what is loaded, those with code first.
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  // Bytes that no process can have changed; how many of `to` could be read.
  size_t read(uint64_t vaddr, std::span<uint8_t> to) const;

 private:
  struct Ender {
    void operator()(Elf* elf) const;
    void operator()(Dwarf* dwarf) const;
    void operator()(Dwarf_CFI_s* cfi) const;
  };
  Module() = default;
  void open_debug_frame();
  Decoded decode(uint64_t vaddr) const;
  Row keep(Decoded decoded);

  int fd_ = -1;
  std::vector<Elf64_Phdr> segments_;  // to be loaded, those with code first
  std::unique_ptr<Elf, Ender> elf_;
  std::unique_ptr<Dwarf, Ender> dwarf_;
  std::unique_ptr<Dwarf_CFI_s, Ender> eh_frame_;
  Dwarf_CFI_s* debug_frame_ = nullptr;  // of dwarf_
  std::vector<Rules> rules_;
  struct Stretch {
    uint64_t end = 0;
    Row row;
  };
  std::map<uint64_t, Stretch> stretches_;  // by address: where one row holds
};

}  // namespace compmond::unwind
