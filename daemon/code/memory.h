// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "elf/image.h"

// What the scanner reads: an image's bytes as the loader maps them, and where its functions begin
// and end.
namespace compmond::code {

// Bytes by virtual address, before relocation. Tests make theirs by hand.
class Memory {
 public:
  virtual ~Memory() = default;
  // Up to `size` bytes at `vaddr`; fewer where the segment's file part ends, none outside of one.
  virtual std::vector<uint8_t> read(uint64_t vaddr, uint64_t size) const = 0;
  virtual const std::vector<elf::Image::Range>& text() const = 0;
  // Size of the code region that unwind information says begins at exactly `vaddr`, else 0.
  virtual uint64_t region_size(uint64_t vaddr) const = 0;
  // Whether data may hold an address in (after, last] once the image is loaded; true where nobody
  // can tell.
  virtual bool pointed_into(uint64_t /*after*/, uint64_t /*last*/) const { return true; }
};

std::unique_ptr<Memory> memory_of(const elf::Image& image);

// Instruction bytes out of a Memory, a page at a time.
class CodeReader {
 public:
  explicit CodeReader(const Memory& memory) : memory_(memory) {}
  // Up to 15 bytes at `vaddr`, valid until the next call.
  std::span<const uint8_t> at(uint64_t vaddr);

 private:
  static constexpr uint64_t kPage = 4096;
  static constexpr size_t kLongest = 15;  // bytes of the longest x86 instruction
  const std::vector<uint8_t>& page(uint64_t number);

  const Memory& memory_;
  std::unordered_map<uint64_t, std::vector<uint8_t>> pages_;
  std::array<uint8_t, kLongest> straddling_{};
};

// Code symbols by address.
class Functions {
 public:
  // `symbols` sorted by vaddr, as Image::symbols(); must outlive this object.
  explicit Functions(std::span<const elf::Symbol> symbols);
  const elf::Symbol* at(uint64_t vaddr) const;        // one that begins there
  const elf::Symbol* covering(uint64_t vaddr) const;  // the last begun one that reaches over vaddr
  bool begins_within(uint64_t after, uint64_t last) const;  // in (after, last]
  const std::vector<const elf::Symbol*>& all() const { return sorted_; }
  // Cold parts of the function `name`.
  std::span<const elf::Symbol* const> cold_parts(const std::string& name) const;

 private:
  std::vector<const elf::Symbol*> sorted_;  // functions and IFUNC resolvers, by vaddr
  std::vector<const elf::Symbol*> cold_;    // those that are cold parts of others, by name
};

// True for the part that the compiler split off a function because it is rarely run: "f.cold",
// "f.cold.3".
bool is_cold_part(const elf::Symbol& symbol);

}  // namespace compmond::code
